"""What is stored in English, put together of several sentences, is told to its last part."""

from pathlib import Path
from typing import Any

import pytest

from arena.conform.rules.rule import Rule
from arena.conform.rules.table import RULES as RULES_OF_PROTOCOL
from arena.hosting.sandbox.checks import judge
from arena.hosting.sandbox.limits import REDUCED, STANDARD, STRICT
from arena.match.decisions import DecidedBy
from arena.match.host_faults import HostCause
from arena.match.leak_verdict import LeakVerdict
from arena.match.result import FaultCause
from arena.trial import blunders
from arena.trial.values import BUILD, OUTPUT, RULES, Check
from arena.words.catalogue import LANGUAGES, words
from arena.words.telling import TOLD_PLACES, Heard, hear, tell
from engine import registry
from ratings.store.states import BotEventKind, MatchState, Scope
from tests.words.test_sentences import TRANSLATED

STORED = Path(__file__).with_name("stored.txt").read_text(encoding="utf-8").splitlines()


def unheard(text: str) -> list[str]:
    """What of a text is not in the catalogue although it stands where a sentence does."""
    heard = hear(text)
    return [text] if heard is None else [part for place in _holds(heard) for part in unheard(heard.values[place])]


def _holds(heard: Heard) -> list[str]:
    return sorted(TOLD_PLACES & heard.values.keys())


@pytest.mark.parametrize("text", STORED)
def test_whatever_is_stored_is_told_to_its_last_part(text: str) -> None:
    assert unheard(text) == []
    for language in TRANSLATED:
        assert tell(text, language) != text


@pytest.mark.parametrize("cause", FaultCause)
def test_every_fault_of_an_admission_is_told_with_its_remedy(cause: FaultCause) -> None:
    kind = blunders._KINDS[cause]
    sentence = f"{kind.what} in foreign_king with 3 seats at ply 4: It ended before it joined (SIGKILL)."
    assert unheard(f"Refused: {sentence} {kind.remedy}") == []


@pytest.mark.parametrize("rule", RULES_OF_PROTOCOL, ids=lambda rule: rule.id)
def test_every_rule_of_the_protocol_is_told_to_its_last_part(rule: Rule) -> None:
    assert unheard(rule.statement) == []
    assert unheard(rule.message("no stream within 10 s; its process ended with status 1; nothing on stderr")) == []


@pytest.mark.parametrize("game", registry.names())
def test_what_every_option_of_a_game_means_is_told(game: str) -> None:
    options = registry.get(game).options_schema()["properties"].values()
    assert [unheard(option["description"]) for option in options if unheard(option["description"])] == []


@pytest.mark.parametrize("level", [STRICT, STANDARD, REDUCED])
def test_every_check_of_a_sandbox_is_told(level: str) -> None:
    said: dict[str, Any] = dict.fromkeys(("outside", "passwords", "code", "work", "referee"), "done") | {
        "packages": ["done"]
    }
    said |= {"version": "3.11 x", "prefix": "/p", "sockets": [], "calls": []} | dict.fromkeys(
        ("uid", "processes", "forks", "few"), 7
    )
    checks = judge(level, said, 1, 0, [])
    assert [unheard(f"sandbox {level}: {check.name}") for check in checks] == [[]] * len(checks)


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
    assert all(known.knows(f"check.{one.replace(' ', '_')}") for one in (*Check, OUTPUT, RULES, BUILD))
    assert all(known.knows(f"owner.scope_{one}") for one in Scope)
