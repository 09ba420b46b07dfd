"""The events of a match are those of its replay, whenever they are read, and survive their way between processes."""

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.decisions import Answer
from arena.match.live import (
    LiveEndEvent,
    LiveEntryEvent,
    LiveEvent,
    LiveLogEvent,
    LiveReader,
    LiveStartEvent,
    events_of_replay,
    live_json,
    read_live,
)
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.result import FaultCause
from engine import registry
from tests.support.specs import installed_script_game, king_spec, script_spec, seat_spec
from tests.support.texts import CHARACTERS

SCRIPT = "0:3 1:1 1:2d 2:4 0:2d 0:3 1:3 2:2 0:2d"
LOGS = st.builds(
    LiveLogEvent, st.integers(0, 99), st.integers(0, 4), st.integers(0, 2**40), st.binary(), st.integers(0, 9)
)
ENDS = st.builds(
    LiveEndEvent, st.integers(0, 99), st.none() | st.just({"ranks": [1, 2]}), st.text(CHARACTERS, max_size=9)
)


@pytest.fixture(autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield


def play(match: Match, seed: int, fails_at: int = -1) -> tuple[list[LiveEvent], LiveReader]:
    """A match at random, read at random moments."""
    draw, reader, events = random.Random(seed), LiveReader(match, 17), list[LiveEvent]()
    match.begin()
    while (decision := match.decision) is not None:
        if decision.ply == fails_at:
            match.fail(decision.seat, FaultCause.DISCONNECTED, "It left.")
            continue
        answer = Answer(match.spec.match_id, decision.ply, (draw.choice(decision.legal),), "because")
        match.receive(decision.seat, answer, 5, 5)
        if draw.random() < 0.3:
            events += reader.read()
    return [*events, *reader.read()], reader


def whole(match: Match, events: list[LiveEvent]) -> None:
    """They are what the replay tells in the same form, end apart."""
    document = write_replay(match, 17, 1000).document()
    expected = events_of_replay(document)
    assert expected[:-1] == events
    result = json.loads(json.dumps(match.result().to_json()))
    assert expected[-1] == LiveEndEvent(len(match.entries) + 1, result)
    assert [event.sequence for event in expected] == list(range(len(match.entries) + 2))
    chance = [list(outcome) for event in events for outcome in getattr(event, "chance", ())]
    assert chance == document["chance"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("fails_at", [-1, 4])
def test_whenever_they_are_read_the_events_are_those_of_the_replay(seed: int, fails_at: int) -> None:
    match = Match(script_spec("shuffle " + SCRIPT, 3, opening=(1,), chance_seed=seed))
    events, reader = play(match, seed, fails_at)
    whole(match, events)
    assert reader.sequence == len(match.entries)
    assert list(reader.read()) == []


@pytest.mark.parametrize("game", ["foreign_king", "rex_romanorum"])
def test_so_are_those_of_every_game(game: str) -> None:
    rules = registry.get(game).rules_version
    match = Match(king_spec("m1", [seat_spec(0), seat_spec(1)], game=game, rules_version=rules))
    whole(match, play(match, 3)[0])


def test_a_chance_outcome_stands_with_the_ply_that_caused_it() -> None:
    match = Match(script_spec(SCRIPT, 3))
    start, *entries = play(match, 1)[0]
    assert isinstance(start, LiveStartEvent)
    assert (start.chance, start.seats[2].name, start.started_at_us) == ((), "bot2", 17)
    thrown = [event.entry["ply"] for event in entries if isinstance(event, LiveEntryEvent) and event.chance]
    assert thrown == [2, 4, 8]


def test_the_start_gives_no_seed_away() -> None:
    match = Match(script_spec(SCRIPT, 3, chance_seed=424242, seats=tuple(seat_spec(index) for index in range(3))))
    text = json.dumps(live_json(next(LiveReader(match, 0).read()))[0])
    assert "424242" not in text
    assert "1001" not in text


@given(LOGS | ENDS)
def test_logs_and_ends_cross_a_process_unchanged(event: LiveEvent) -> None:
    data, blob = live_json(event)
    assert read_live(json.loads(json.dumps(data)), blob) == event


def test_starts_and_entries_cross_a_process_unchanged() -> None:
    for event in play(Match(script_spec("shuffle " + SCRIPT, 3)), 2)[0]:
        data, blob = live_json(event)
        assert read_live(json.loads(json.dumps(data)), blob) == event
