"""The catalogue is whole in every language, and a process speaks the language its environment asks for."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from arena.cli import help_translation as helping
from arena.cli.app import make_parser
from arena.i18n.catalogue import LANGUAGES, best_language, language_of_process, read_messages, read_texts, words
from ratings.values.owners import LIMITS
from tests.support.sources import ROOT

FAMILIES = (
    "site.theme_",
    "cli_db.stage_",
    "error.status_",
    "fault.",
    "leaderboard.first_",
    "viewer.do_",
    "match.ended_",
    "format.",
    "tournament.status_",
    "tournament.answer_",
    "search.state_",
    "play.pace_",
    "admission.",
    "check.",
    "event.",
    "bot.match_",
    "owner.scope_",
    "owner.token_",
    "cli.heading_",
    "cli.env_var",
    "cli.default",
    "cli_bot.conform_",
    "cli_cluster.state_",
    "cli_doctor.check_",
    "cli_doctor.mend_",
    "cli_doctor.part_",
    "cli_doctor.state_",
    "cli_doctor.stretch_",
    "cli_home.count_",
    "cli_shared.hosted",
    "cli_state.",
    "cli_stats.measure_",
)
"""Beginnings of ids whose rest is found out while the program runs."""
_ID = re.compile(r"""["']([a-z_]+\.[a-z0-9_.]+)["']""")
_FORMS_OF_ADDRESS = {
    "de": re.compile(
        r"\b([Dd](u|ich|ir)|[Dd]eine?[mnrs]?|[Ee]u(ch|er|re[mnrs]?)|[Gg]ib|[Ll]ade|[Ww]ähle|[Zz]ieh|[Ll]ass)\b"
    ),
    "fr": re.compile(r"\b([Tt](u|oi|es|on)|tien(ne)?s?)\b(?!-)"),
    "it": re.compile(r"\b([Vv]oi|vostr[aeio]|Lei|usate|chiedete|scrivete|inserite)\b"),
}
"""German says Sie, French vous, Italian tu: these are the forms of the other address."""


def places(text: object) -> set[str]:
    """The places of a text; those of a text with a number are what `other` has."""
    shown = text if isinstance(text, str) else dict(text)["other"]  # type: ignore[call-overload]
    return {name for _, name, _, _ in string.Formatter().parse(shown) if name}


@cache
def used_ids() -> set[str]:
    files = [*ROOT.glob("arena/**/*.py"), *ROOT.glob("arena/web/templates/**/*.html")]
    return {found for file in files for found in _ID.findall(Path(file).read_text(encoding="utf-8"))}


def test_no_text_stands_twice_under_one_id() -> None:
    doubled: list[str] = []

    def note_doubled(pairs: list[tuple[str, object]]) -> None:
        times = Counter(key for key, _ in pairs)
        doubled.extend(f"{file.parent.name}/{file.name}: {key}" for key in times if times[key] > 1)

    for file in sorted(ROOT.glob("arena/i18n/**/*.json")):
        json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=note_doubled)
    assert doubled == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_places(language: str) -> None:
    english, texts = read_texts("en"), read_texts(language)
    assert texts.keys() == english.keys()
    for name, text in texts.items():
        assert isinstance(text, str) is isinstance(english[name], str), name
        assert places(text) == places(english[name]), name
        assert "" not in ([text] if isinstance(text, str) else [*text.values()]), name


def ids_by_name() -> set[str]:
    """The ids of headings and of names of facts, which commands name without their area."""
    files = [*ROOT.glob("arena/cli/**/*.py"), ROOT / "arena/model/table_columns.py"]
    sources = [Path(file).read_text(encoding="utf-8") for file in files]
    names = {name for source in sources for name in re.findall(r'"([a-z0-9_]+)"', source)} | set(LIMITS)
    return {f"{area}.{name}" for area in ("cli_heading", "cli_fact") for name in names}


def ids_of_help(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The ids that the help of the command line asks for."""
    asked: set[str] = set()

    def remember(text_id: str, **values: object) -> str:
        asked.add(text_id)
        return words("en").say(text_id, **values)

    monkeypatch.setattr(helping, "say", remember)
    make_parser()
    return asked


def test_every_text_is_used_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    used = used_ids() | ids_by_name() | ids_of_help(monkeypatch)
    unused = {name for name in read_texts("en") if name not in used and not name.startswith(FAMILIES)}
    assert unused == set()


def test_every_text_that_a_template_asks_for_is_there() -> None:
    said = re.compile(r"""say\(\s*["']([a-z_.0-9]+)["']\s*[,)]""")
    files = [*ROOT.glob("arena/**/*.py"), *ROOT.glob("arena/web/templates/**/*.html")]
    asked = {name for file in files for name in said.findall(Path(file).read_text(encoding="utf-8"))}
    assert asked - read_texts("en").keys() == set()


def test_the_command_line_has_no_break_before_french_points() -> None:
    torn = re.compile(r"`[^`]*`| [:;?!»]")
    for name, text in read_texts("fr").items():
        if not name.startswith("cli"):
            continue
        for said in [text] if isinstance(text, str) else text.values():
            assert [found for found in torn.findall(said) if not found.startswith("`")] == [], name


def test_a_number_chooses_the_wording() -> None:
    assert words("en").say("pool.seats", count=1) == "1 seat"
    assert words("de").say("pool.seats", count=2) == "2 Plätze"
    assert words("fr").say("pool.seats", count=0) == "0 place"
    assert words("it").say("pool.seats", count=0) == "0 posti"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-CH, fr;q=0.9", "de"),
        ("nl, fr;q=0.4, it;q=0.7", "it"),
        ("pt;q=nonsense", "en"),
        ("de;q=0", "en"),
        ("fr,it", "fr"),
    ],
)
def test_a_browser_gets_the_language_that_it_likes_best(accepted: str, language: str) -> None:
    assert best_language(accepted) == language


@pytest.mark.parametrize("language", _FORMS_OF_ADDRESS)
def test_a_language_addresses_its_reader_in_one_way(language: str) -> None:
    found = [*read_texts(language).values(), *read_messages(language).values()]
    texts = [text if isinstance(text, str) else " ".join(text.values()) for text in found]
    assert [text for text in texts if _FORMS_OF_ADDRESS[language].search(text)] == []


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_CH.UTF-8"}, "de"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "nl_NL.UTF-8"}, "en"),
        ({"LANG": "fr_FR", "LC_MESSAGES": "it_IT"}, "it"),
        ({"LANG": "fr_FR", "LC_ALL": "C"}, "en"),
        ({"LANG": "fr_FR", "LC_ALL": "", "LC_MESSAGES": ""}, "fr"),
        ({"LC_ALL": "fr_FR.UTF-8", "ARENA_LANG": "it"}, "it"),
        ({"ARENA_LANG": "de-AT"}, "de"),
    ],
)
def test_the_environment_says_the_language(environ: dict[str, str], language: str) -> None:
    assert language_of_process(environ) == language
