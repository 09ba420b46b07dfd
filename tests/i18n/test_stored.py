"""What is stored in English, put together of several sentences, is told to its last part."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from arena.conform.rules.table import RULES as RULES_OF_PROTOCOL
from arena.hosting.sandbox.checks import judge
from arena.hosting.sandbox.limits import REDUCED, STANDARD, STRICT
from arena.i18n.catalogue import LANGUAGES, words
from arena.i18n.remainder import SENTENCE_PLACES, Heard, hear
from arena.i18n.translation import translate
from arena.match.decisions import DecidedBy
from arena.match.host_faults import HostCause
from arena.match.leak_verdict import LeakVerdict
from arena.match.result import FaultCause
from arena.trial import blunders
from arena.trial.values import BUILD, OUTPUT, RULES, TrialCheck
from engine import registry
from ratings.values.states import BotEventKind, MatchState, Scope
from tests.i18n.test_remainder import TRANSLATED
from tests.support.own_games import OURS


def unheard(text: str) -> list[str]:
    """What of a text is not in the catalogue although it stands where a sentence does."""
    heard = hear(text)
    return [text] if heard is None else [part for place in _holds(heard) for part in unheard(heard.values[place])]


def _holds(heard: Heard) -> list[str]:
    return sorted(SENTENCE_PLACES & heard.values.keys())


def unheard_of(texts: Iterable[str]) -> dict[str, list[str]]:
    """The same for each of several texts, without those of which everything is."""
    return {text: left for text in texts if (left := unheard(text))}


def test_whatever_is_stored_is_told_to_its_last_part() -> None:
    stored = Path(__file__).with_name("stored.txt").read_text(encoding="utf-8").splitlines()
    assert len(stored) > 10
    assert unheard_of(stored) == {}
    assert [(text, language) for text in stored for language in TRANSLATED if translate(text, language) == text] == []


def test_every_fault_of_an_admission_is_told_with_its_remedy() -> None:
    where, why = "foreign_king with 3 seats at ply 4", "It ended before it joined (SIGKILL)."
    kinds = [blunders._KINDS[cause] for cause in FaultCause]
    assert unheard_of(f"Refused: {kind.say(where, why)} {kind.remedy}" for kind in kinds) == {}


def test_every_rule_of_the_protocol_is_told_to_its_last_part() -> None:
    assert unheard_of(rule.statement for rule in RULES_OF_PROTOCOL) == {}
    happened = "no stream within 10 s; its process ended with status 1; nothing on stderr"
    assert unheard_of(rule.message(happened) for rule in RULES_OF_PROTOCOL) == {}


def test_what_every_option_of_a_game_means_is_told() -> None:
    options = [one for game in OURS for one in registry.get(game).options_schema()["properties"].values()]
    assert unheard_of(option["description"] for option in options) == {}


@pytest.mark.parametrize("level", [STRICT, STANDARD, REDUCED])
def test_every_check_of_a_sandbox_is_told(level: str) -> None:
    said: dict[str, Any] = dict.fromkeys(("outside", "passwords", "code", "work", "referee"), "done") | {
        "packages": ["done"]
    }
    said |= {"version": "3.11 x", "prefix": "/p", "sockets": [], "calls": []} | dict.fromkeys(
        ("uid", "processes", "forks", "few"), 7
    )
    checks = judge(level, said, 1, 0, [])
    assert unheard_of(f"sandbox {level}: {check.name}" for check in checks) == {}


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
