"""The events of a match are those of its replay, and what crosses a process comes out as it went in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
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
from arena.match.result import Fault, FaultCause, HostBrokenError, HostCause, LeakVerdict, MatchLostError, MatchResult
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.match.worker_report import HostNote, LeakCheckResult, MatchReport, SeatLogText, SeatProcess
from engine import registry
from engine.translatable import Text, english, parts_of
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


NUMBERS = st.integers(0, 2**53)
SEATS = st.lists(st.integers(0, 4), max_size=5).map(tuple)
JSON_OBJECTS = st.dictionaries(
    st.text(CHARACTERS, max_size=8), st.none() | st.booleans() | NUMBERS | st.text(CHARACTERS, max_size=8), max_size=3
)
FAULTS = st.builds(Fault, st.integers(0, 4), st.sampled_from(FaultCause), NUMBERS, st.text(CHARACTERS), JSON_OBJECTS)
RESULTS = st.builds(
    MatchResult,
    ranks=SEATS,
    by_rules=st.booleans(),
    rated=st.booleans(),
    forfeits=SEATS,
    resigned=SEATS,
    faults=st.lists(FAULTS, max_size=3).map(tuple),
    details=JSON_OBJECTS,
)
CHECKS = st.builds(
    LeakCheckResult,
    st.integers(0, 4),
    st.sampled_from(LeakVerdict),
    st.none() | NUMBERS,
    st.text(CHARACTERS),
    JSON_OBJECTS,
)
SEAT_LOGS = st.builds(SeatLogText, st.integers(0, 4), st.binary(max_size=20), NUMBERS)
PROCESSES = st.builds(SeatProcess, st.integers(0, 4), st.booleans(), st.none() | NUMBERS, st.none() | st.booleans())
REPORTS = st.builds(
    MatchReport,
    match_id=st.text(CHARACTERS, max_size=8),
    attempt=NUMBERS,
    result=RESULTS,
    plies=NUMBERS,
    decisions=NUMBERS,
    started_at_us=NUMBERS,
    duration_us=NUMBERS,
    game_digest=st.text(CHARACTERS, max_size=8),
    record_digest=st.text(CHARACTERS, max_size=8),
    replay=st.binary(max_size=20),
    sandbox=st.sampled_from(["none", "standard"]),
    leak_checks=st.lists(CHECKS, max_size=2).map(tuple),
    seat_logs=st.lists(SEAT_LOGS, max_size=3).map(tuple),
    seat_processes=st.lists(PROCESSES, max_size=2).map(tuple),
)
TIME_CONTROLS = st.builds(TimeControl, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
SEAT_SPECS = st.builds(
    SeatSpec,
    version=st.text(CHARACTERS, max_size=8),
    name=st.text(CHARACTERS, max_size=8),
    directory=st.text(CHARACTERS, max_size=8),
    command=st.lists(st.text(CHARACTERS, max_size=8), max_size=3).map(tuple),
    seed=NUMBERS,
    is_deterministic=st.booleans(),
    protocol=st.sampled_from(["protobuf", "lines"]),
)
SPECS = st.builds(
    MatchSpec,
    match_id=st.text(CHARACTERS, max_size=8),
    attempt=NUMBERS,
    game=st.text(CHARACTERS, max_size=8),
    rules_version=st.text(CHARACTERS, max_size=8),
    options=JSON_OBJECTS,
    clock=TIME_CONTROLS,
    cores=NUMBERS,
    chance_seed=NUMBERS,
    opening=SEATS,
    seats=st.lists(SEAT_SPECS, max_size=3).map(tuple),
    block=st.text(CHARACTERS, max_size=8),
    checks_leaks=st.booleans(),
    keeps_logs=st.booleans(),
    uses_fresh_bots=st.booleans(),
)


def through_text(data: dict[str, Any]) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(json.dumps(data))
    return parsed


@settings(max_examples=30)
@given(SPECS)
def test_an_order_crosses_a_process_unchanged(spec: MatchSpec) -> None:
    assert MatchSpec.from_json(through_text(spec.to_json())) == spec


def test_an_order_that_says_nothing_of_the_protocol_means_the_one_that_all_bots_had() -> None:
    order = script_spec("0:3").to_json()
    for seat in order["seats"]:
        del seat["protocol"]
    assert MatchSpec.from_json(through_text(order)) == script_spec("0:3")


@settings(max_examples=30)
@given(TIME_CONTROLS)
def test_a_time_control_crosses_a_process_unchanged(control: TimeControl) -> None:
    assert TimeControl.from_json(through_text(control.to_json())) == control


@settings(max_examples=30)
@given(REPORTS)
def test_a_report_crosses_a_process_unchanged(report: MatchReport) -> None:
    assert MatchReport.from_json(through_text(report.to_json()), report.blob()) == report


@settings(max_examples=30)
@given(RESULTS)
def test_a_result_crosses_a_process_unchanged(result: MatchResult) -> None:
    assert MatchResult.from_json(through_text(result.to_json())) == result


@pytest.mark.parametrize("kind", [MatchLostError, HostBrokenError])
def test_a_fault_of_the_host_crosses_a_process_unchanged(kind: type[MatchLostError]) -> None:
    error = kind("it stood still", HostCause.REFEREE_LAG, {"lag_us": 7})
    read = MatchLostError.from_json(through_text(error.to_json()))
    assert type(read) is kind
    assert (str(read), read.cause, read.evidence) == (str(error), error.cause, error.evidence)


def test_sentences_of_a_report_and_of_a_fault_of_the_host_keep_which_text_they_are() -> None:
    why = Text("It left.")
    text = Text("{what} Its process ended, too ({how}).", what=why, how="SIGKILL")
    report = MatchReport(
        match_id="m",
        attempt=1,
        result=MatchResult((1, 2), True, True, (), (), (Fault(0, FaultCause.DISCONNECTED, 3, text),), {}),
        plies=3,
        decisions=3,
        started_at_us=1,
        duration_us=1,
        game_digest="",
        record_digest="",
        replay=b"",
        leak_checks=(LeakCheckResult(0, LeakVerdict.UNKNOWN, None, text),),
        note=HostNote(text, {}),
    )
    read = MatchReport.from_json(through_text(report.to_json()), report.blob())
    assert read.note is not None
    found = [read.result.faults[0].explanation, read.leak_checks[0].sentence, read.note.sentence]
    lost = MatchLostError.from_json(through_text(MatchLostError(text).to_json()))
    assert [parts_of(one) for one in (*found, str(lost))] == [parts_of(text)] * 4
    assert through_text(report.result.to_json())["faults"][0]["explanation"] == english(text), "as a replay has it"
