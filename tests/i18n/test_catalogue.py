"""The catalogue is whole in every language, and what the program, its help and others say is taken from it."""

from __future__ import annotations

import ast
import errno
import json
import os
import re
import socket
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from arena.cli import help_translation as helping
from arena.cli.app import make_parser, run
from arena.conform.rules import RULES as RULES_OF_PROTOCOL
from arena.hosting.sandbox.limits import REDUCED, STANDARD, STRICT
from arena.hosting.sandbox.trial import judge
from arena.i18n.catalogue import (
    LANGUAGES,
    best_language,
    language_of_process,
    read_messages,
    read_texts,
    translate,
    validation_text,
    words,
)
from arena.match.decisions import DecidedBy
from arena.match.result import FaultCause, HostCause, LeakVerdict
from arena.model.proofs import ProofPart
from arena.service.settings import TABLE
from arena.trial import faults as blunders
from arena.trial.trials import BUILD, OUTPUT, RULES, TrialCheck
from engine import registry
from engine.os_errors import _TEXTS, os_error_at_place, os_error_text
from engine.translatable import Text, english, sentences
from ratings.values.owners import LIMITS
from ratings.values.states import BotEventKind, MatchState, Scope
from tests.support.own_games import OURS
from tests.support.sources import ROOT, sources_below, text_of

FAMILIES = (
    "site.theme_",
    "cli_db.stage_",
    "cli_verify.part_",
    "overall.method_",
    "proof.",
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


CLI = sources_below("arena/cli")
PARSERS_OWN = ("Usage:", "Options:", "Commands:", "Arguments:", "Show this message", "[default", "env var", "required]")


def helps(command: Any, parent: Any = None, name: str = "arena") -> Iterator[tuple[str, str]]:
    """The help of a command and of all below it, by the words that call it."""
    context = command.context_class(command, parent=parent, info_name=name, **command.context_settings)
    yield context.command_path, command.get_help(context)
    for child, below in getattr(command, "commands", {}).items():
        yield from helps(below, context, child)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_of_every_command_is_in_every_language(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_LANG", language)
    told = dict(helps(make_parser()))
    assert len(told) > 100
    for command, text in told.items():
        assert text.startswith(words(language).say("cli.usage")), command
        assert words(language).say("cli.example") in text, command
        if language != "en":
            left = [own for own in PARSERS_OWN if own in text and own not in ("Options:", "Arguments:")]
            assert not left, command


def test_no_help_is_declared_in_code() -> None:
    def declared(path: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.keyword) and node.arg in ("help", "short_help", "epilog"):
                text = node.value
                if isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and " " in str(text.value)):
                    yield f"{path}:{node.value.lineno}"

    assert [place for path in CLI for place in declared(path)] == []


def test_the_options_of_a_service_are_told_as_its_settings_are() -> None:
    told = words("en")
    for row in TABLE:
        if row.flag is not None:
            assert told.say(f"cli_serve.serve.{row.name}") == row.help


PRINTERS = (
    "echo",
    "confirm",
    "prompt",
    "_say",
    "_print_error",
    "_print_note",
    "write",
    "print_page",
    "print_table",
    "print_facts",
    "print_more",
    "DoctorFinding",
)
"""What prints its arguments; `write` is that of a stream."""
STAYS_ENGLISH = {
    "kingmaker-arena {}",  # the name of the program
    "arena: {}",  # what a service says of itself to its operator, and the beginning of every error
    "arena: ended at once; {}",  # ends as the error does that is raised when there is time
    "bot {}| {}\n",  # a line of the bot's own
    "  stdout | {}",  # another one, behind the name of its stream
}


def literals_printed(path: Path) -> Iterator[str]:
    """What is printed without being asked of the catalogue: a text, or part of one, that has words of its own."""
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in PRINTERS:
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                yield from sentences_in(argument)


def sentences_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Call):
        return  # `say`, or what makes a text elsewhere
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        if re.search(r"[A-Za-z]{2}", text):
            yield text
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.search(r"[A-Za-z]{2}.* ", node.value):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from sentences_in(child)


def test_no_sentence_is_printed_that_the_catalogue_does_not_know() -> None:
    found = {text: path for path in CLI for text in literals_printed(path)}
    assert {text: str(path) for text, path in found.items() if text not in STAYS_ENGLISH} == {}
    assert found.keys() >= STAYS_ENGLISH


SENTENCE_PLACES = frozenset({"why", "remedy", "what", "how"})
"""The places in which a sentence holds another one."""
HAPPENED = Text("It starts, and joins in time.")
TRANSLATED = frozenset(LANGUAGES) - {"en"}


@pytest.mark.parametrize("number", [number for number in _TEXTS if number > 0])
def test_an_error_of_the_system_is_found_by_its_number(number: int) -> None:
    text = os_error_text(OSError(number, os.strerror(number)))
    assert isinstance(text, Text)
    assert text == os.strerror(number)
    assert translate(text, "de") != text


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_an_unknown_name_is_found_by_its_number(number: int) -> None:
    assert _TEXTS[number]


def test_an_error_of_the_system_names_its_file() -> None:
    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/root/x")
    assert os_error_at_place(error) == "Permission denied: /root/x"
    assert translate(os_error_at_place(error), "fr") == "permission refusée\N{NO-BREAK SPACE}: /root/x"


@pytest.mark.parametrize(
    "error", [OSError(errno.EACCES, "no way"), OSError(errno.EXDEV, "Invalid link"), OSError("no")]
)
def test_other_words_of_an_error_stay_as_they_are(error: OSError) -> None:
    text = os_error_text(error)
    assert (type(text), text) == (str, error.strerror or str(error))
    assert os_error_at_place(error) == text


@pytest.mark.parametrize(
    ("kind", "value", "german"),
    [
        (int, "x", "das ist keine ganze Zahl"),
        (float, "x", "das ist keine Zahl"),
        (Annotated[int, Field(ge=1)], 0, "der Wert muss mindestens 1 sein"),
        (Annotated[float, Field(ge=1)], 0, "der Wert muss mindestens 1 sein"),
        (Annotated[float, Field(gt=0.5)], 0, "der Wert muss größer als 0.5 sein"),
        (Annotated[int, Field(le=9)], 10, "der Wert darf höchstens 9 sein"),
        (Literal["a", "b"], "c", "der Wert muss 'a' or 'b' sein"),
        (str, 7, "Input should be a valid string"),
    ],
)
def test_what_does_not_fit_is_found_by_its_type(kind: type, value: object, german: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    (error,) = caught.value.errors()
    text = validation_text({**error})
    assert text == error["msg"]
    assert translate(text, "de") == german


@pytest.mark.parametrize(
    ("line", "german"),
    [
        ("matchh list", "den Befehl 'matchh' gibt es nicht; gemeint war vielleicht 'match'? siehe `arena --help`"),
        ("zzz", "den Befehl 'zzz' gibt es nicht; siehe `arena --help`"),
        ("match list --limit", "die Option '--limit' braucht einen Wert"),
        ("match list --json=3", "die Option '--json' nimmt keinen Wert"),
        ("match list --zzz", "die Option --zzz gibt es nicht; siehe `arena match list --help`"),
        (
            "match list --limit x",
            "ungültiger Wert für '--limit': das ist keine ganze Zahl; siehe `arena match list --help`",
        ),
        (
            "perft foreign_king --depth 0",
            "ungültiger Wert für '--depth': der Wert muss mindestens 1 sein; siehe `arena perft --help`",
        ),
        ("match show", "es fehlt das Argument 'MATCH'; siehe `arena match show --help`"),
        ("match show a b c", "hier steht zu viel: b c; siehe `arena match show --help`"),
    ],
)
def test_what_the_parser_refuses_is_found_by_the_class_of_its_errors(
    line: str, german: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_LANG", "de")
    assert run(line.split()) == 2
    assert capsys.readouterr().err == f"arena: {german}\n"


def untold(text: str) -> list[str]:
    """What of a sentence stays English: what is no text of the catalogue, also in a place of a sentence."""
    if not isinstance(text, Text):
        return [text]
    left = [english(text)] if any(text.template not in read_messages(language) for language in TRANSLATED) else []
    places = sorted(SENTENCE_PLACES & text.parts.keys())
    return left + [one for name in places if isinstance(part := text.parts[name], str) for one in untold(part)]


def untold_of(texts: Iterable[str]) -> dict[str, list[str]]:
    """The same for each of several sentences, without those of which nothing does."""
    return {text: left for text in texts if (left := untold(text))}


def test_every_fault_of_an_admission_is_told_with_its_remedy() -> None:
    kinds = [blunders._KINDS[cause] for cause in FaultCause]
    assert untold_of(sentences(kind.describe(HAPPENED, HAPPENED), kind.remedy) for kind in kinds) == {}


def test_every_rule_of_the_protocol_is_told_to_its_last_part() -> None:
    assert untold_of(rule.statement for rule in RULES_OF_PROTOCOL) == {}
    assert untold_of(rule.message(HAPPENED) for rule in RULES_OF_PROTOCOL) == {}


def test_what_every_option_of_a_game_means_is_told() -> None:
    options = [one for game in OURS for one in registry.get(game).options_schema()["properties"].values()]
    assert untold_of(option["description"] for option in options) == {}


@pytest.mark.parametrize("level", [STRICT, STANDARD, REDUCED])
def test_every_check_of_a_sandbox_is_told(level: str) -> None:
    said: dict[str, Any] = dict.fromkeys(("outside", "passwords", "code", "work", "referee"), "done") | {
        "packages": ["done"]
    }
    said |= {"version": "3.11 x", "prefix": "/p", "sockets": [], "calls": []} | dict.fromkeys(
        ("uid", "processes", "forks", "few"), 7
    )
    checks = judge(level, said, 1, 0, [])
    assert untold_of(check.name for check in checks) == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_event_has_its_words(language: str) -> None:
    known = words(language)
    assert all(known.knows(f"event.{kind.value}") for kind in BotEventKind)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_that_a_table_shows_has_its_words(language: str) -> None:
    known = words(language)
    assert all(known.knows(f"cli_state.{cause.lower()}") for cause in HostCause)
    assert all(known.knows(f"cli_state.by_{one}") for one in DecidedBy)
    assert all(known.knows(f"check.verdict_{one}") for one in LeakVerdict)
    assert all(known.knows(f"cli_verify.part_{one}") for one in ProofPart)
    assert all(known.knows(f"search.state_{one}") for one in MatchState)
    assert all(known.knows(f"fault.{cause.lower()}") for cause in FaultCause)
    assert all(known.knows(f"check.{one.replace(' ', '_')}") for one in (*TrialCheck, OUTPUT, RULES, BUILD))
    assert all(known.knows(f"owner.scope_{one}") for one in Scope)
