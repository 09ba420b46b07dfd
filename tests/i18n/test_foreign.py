"""What others say and what is stored is translated like what the program itself says, to its last part."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from arena.cli.app import run
from arena.conform.rules import RULES as RULES_OF_PROTOCOL
from arena.hosting.sandbox.limits import REDUCED, STANDARD, STRICT
from arena.hosting.sandbox.trial import judge
from arena.i18n.catalogue import LANGUAGES, read_messages, translate, validation_text, words
from arena.match.decisions import DecidedBy
from arena.match.result import FaultCause, HostCause, LeakVerdict
from arena.trial import faults as blunders
from arena.trial.trials import BUILD, OUTPUT, RULES, TrialCheck
from engine import registry
from engine.os_errors import _TEXTS, os_error_at_place, os_error_text
from engine.translatable import Text, english, sentences
from ratings.values.states import BotEventKind, MatchState, Scope
from tests.support.own_games import OURS

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
    assert all(known.knows(f"search.state_{one}") for one in MatchState)
    assert all(known.knows(f"fault.{cause.lower()}") for cause in FaultCause)
    assert all(known.knows(f"check.{one.replace(' ', '_')}") for one in (*TrialCheck, OUTPUT, RULES, BUILD))
    assert all(known.knows(f"owner.scope_{one}") for one in Scope)
