"""What is stored, put together of several sentences, is told in every language to its last part."""

from collections.abc import Iterable
from typing import Any

import pytest

from arena.conform.rules import RULES as RULES_OF_PROTOCOL
from arena.hosting.sandbox.limits import REDUCED, STANDARD, STRICT
from arena.hosting.sandbox.trial import judge
from arena.i18n.catalogue import LANGUAGES, words
from arena.match.decisions import DecidedBy
from arena.match.host_faults import HostCause
from arena.match.leak_verdict import LeakVerdict
from arena.match.result import FaultCause
from arena.trial import blunders
from arena.trial.trials import BUILD, OUTPUT, RULES, TrialCheck
from engine import registry
from engine.text import Text, english, sentences
from ratings.values.states import BotEventKind, MatchState, Scope
from tests.support.own_games import OURS

SENTENCE_PLACES = frozenset({"why", "remedy", "what", "how"})
"""The places in which a sentence holds another one."""
HAPPENED = Text("service.starts_joins_time", "It starts, and joins in time.")
TRANSLATED = frozenset(LANGUAGES) - {"en"}


def untold(text: str) -> list[str]:
    """What of a sentence stays English: what is no text of the catalogue, also in a place of a sentence."""
    if not isinstance(text, Text):
        return [text]
    left = [english(text)] if any(not words(language).knows(text.id) for language in TRANSLATED) else []
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
