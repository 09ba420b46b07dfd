"""What crosses a process comes out of its JSON as it went in."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.report import HostNote, LeakCheckResult, MatchReport, SeatLogText, SeatProcess
from arena.match.result import Fault, FaultCause, HostBrokenError, HostCause, LeakVerdict, MatchLostError, MatchResult
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from engine.text import Text, english, parts_of
from tests.support.texts import CHARACTERS

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
