"""Matches between real bot processes: what they do wrong, what becomes of it, and what of their output comes back."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.launcher.launched_bot import HEAD_BYTES, TAIL_BYTES
from arena.match.replay import load
from arena.match.result import FaultCause
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl
from arena.match.worker_report import LOG_HEAD_BYTES, MatchReport, SeatLogText
from arena.worker.match_host import MatchHost
from tests.support.patience import patient_autopsies, patient_starts
from tests.support.processes import marked_processes
from tests.support.specs import scripted
from tests.worker.hosted import ROUNDS, TWICE, only_fault, play

pytestmark = pytest.mark.asyncio(loop_scope="module")
minutes = pytest.mark.needs("minutes")
WRONG = [
    pytest.param("garbage", FaultCause.MALFORMED, "40 bytes that are no PlayRequest"),
    pytest.param("empty-request", FaultCause.MALFORMED, "without a message", marks=minutes),
    pytest.param("no-actions", FaultCause.MALFORMED, "0 actions", marks=minutes),
    pytest.param("too-many-actions", FaultCause.MALFORMED, "1 to 64", marks=minutes),
    pytest.param("a-hundred-thousand-actions", FaultCause.MALFORMED, "1 to 64", marks=minutes),
    pytest.param("long-note", FaultCause.MALFORMED, "1001 characters", marks=minutes),
    pytest.param("huge-message", FaultCause.MALFORMED, "bytes; 262144 are allowed", marks=minutes),
    pytest.param("illegal", FaultCause.ILLEGAL_ACTION, "It chose action 3 (ADD:3); legal were 0 (ADD:0), 1 (ADD:1), 2"),
    pytest.param("out-of-range", FaultCause.ILLEGAL_ACTION, "2147483647, which does not exist", marks=minutes),
    pytest.param("negative", FaultCause.ILLEGAL_ACTION, "-1, which does not exist", marks=minutes),
    pytest.param("wrong-ply", FaultCause.PROTOCOL, "It answered ply 1; asked was ply 0.", marks=minutes),
    pytest.param("wrong-match", FaultCause.PROTOCOL, "another match, 'another'", marks=minutes),
    pytest.param("two-answers", FaultCause.PROTOCOL, "It answered", marks=minutes),
    pytest.param("many-answers", FaultCause.PROTOCOL, "It answered", marks=minutes),
    pytest.param("join-twice", FaultCause.PROTOCOL, "a second Join", marks=minutes),
    pytest.param("second-stream", FaultCause.PROTOCOL, "a second stream"),
    pytest.param("unasked-act", FaultCause.PROTOCOL, "It answered", marks=minutes),
    pytest.param("leave", FaultCause.DISCONNECTED, "It left."),
    pytest.param("close-stream", FaultCause.DISCONNECTED, "Its stream", marks=minutes),
    pytest.param("crash", FaultCause.DISCONNECTED, "Its stream", marks=minutes),
    pytest.param("leave-with-status-7", FaultCause.DISCONNECTED, "Its stream", marks=minutes),
]
NOT_STARTING = [
    pytest.param("exit-at-once", FaultCause.START_FAILED, "ended before it joined (exit status 3)"),
    pytest.param("exit-in-peace", FaultCause.START_FAILED, "ended before it joined (exit status 0)", marks=minutes),
    pytest.param("crash-at-once", FaultCause.START_FAILED, "ended before it joined (SIGKILL)", marks=minutes),
    pytest.param("garbage-first", FaultCause.MALFORMED, "no PlayRequest as its first message"),
    pytest.param("act-first", FaultCause.PROTOCOL, "Act as its first message; Join comes first", marks=minutes),
    pytest.param("other-protocol", FaultCause.PROTOCOL, "the bot speaks protocol 2.0, this arena 1.0", marks=minutes),
    pytest.param("other-game", FaultCause.START_FAILED, "It joined for checkers, not for script"),
    pytest.param("wrong-token", FaultCause.START_FAILED, "exit status 4"),
]
TALKATIVE = """
import os, sys
from tests.support.scripted_bot import Wire, first

print("started", file=sys.stderr, flush=True)
wire = Wire(os.environ["ARENA_TOKEN"])
wire.join()
for response in wire.responses():
    if response.HasField("match_started"):
        match = response.match_started.match_id
        print("begins", match, flush=True)
    if response.HasField("decide"):
        if match == "flood":
            os.write(2, b"-" * 200_000)
        print("asked at", response.decide.ply, file=sys.stderr, flush=True)
        wire.send_bytes(first(response.decide))
"""


async def test_honest_bots_play_to_the_end_by_the_rules(host: MatchHost) -> None:
    report = await play(host, [scripted(), scripted()])
    assert report.result.by_rules
    assert report.result.rated
    assert report.result.ranks == (1, 1)
    assert (report.plies, report.decisions, report.result.faults) == (6, 6, ())
    assert load(report.replay)["game_digest"] == report.game_digest


@minutes
async def test_equal_matches_have_equal_game_digests_and_different_record_digests(host: MatchHost) -> None:
    one, other = [await play(host, [scripted(), scripted()]) for _ in range(2)]
    assert one.game_digest == other.game_digest
    assert one.record_digest != other.record_digest


@pytest.mark.hostile(*(str(one.values[0]) for one in WRONG))
@pytest.mark.parametrize(("behaviour", "cause", "words"), WRONG)
async def test_what_a_bot_does_wrong_has_its_cause(
    host: MatchHost, behaviour: str, cause: FaultCause, words: str
) -> None:
    script = "1:3 0:3" if behaviour == "unasked-act" else ROUNDS
    report = await play(host, [scripted(behaviour), scripted()], script)
    fault = only_fault(report)
    assert (fault.seat, fault.cause) == (0, cause)
    assert words in fault.explanation
    assert report.result.ranks == (2, 1)
    assert not report.result.by_rules
    assert report.result.rated


@pytest.mark.hostile("silent", "late")
@pytest.mark.parametrize("behaviour", ["silent", pytest.param("late", marks=minutes)])
async def test_no_answer_in_time_is_a_timeout(host: MatchHost, behaviour: str) -> None:
    report = await play(host, [scripted(behaviour), scripted()], script="0:3 1:3", clock="50ms")
    assert only_fault(report).cause is FaultCause.TIMEOUT
    assert only_fault(report).evidence["limit_us"] == 50_000
    assert only_fault(report).evidence["elapsed_us"] >= 100_000


@pytest.mark.hostile("silent-without-a-clock")
async def test_without_a_clock_a_decision_has_an_end_too(host: MatchHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.referee.play.UNTIMED_DECISION_S", 0.1)
    fault = only_fault(await play(host, [scripted("silent"), scripted()], "0:3 1:3", clock="none"))
    assert fault.cause is FaultCause.TIMEOUT
    assert "even without a clock" in fault.explanation


async def test_a_bot_that_crashes_leaves_its_signal_and_its_last_words(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("crash"), scripted()]))
    assert (fault.evidence["ended"], fault.evidence["signal"]) == ("SIGSEGV", 11)
    assert "about to crash" in fault.evidence["stderr"]


@minutes
async def test_a_bot_that_exits_leaves_its_status(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("leave-with-status-7", at=1), scripted()]))
    assert (fault.ply, fault.evidence["ended"], fault.evidence["exit_status"]) == (2, "exit status 7", 7)
    assert "no good" in fault.evidence["stderr"]


@minutes
async def test_a_bot_is_told_its_own_fault(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("illegal"), scripted()]))
    assert "fault: It chose action 3" in fault.evidence["stderr"]


@pytest.mark.hostile(*(str(one.values[0]) for one in NOT_STARTING))
@pytest.mark.parametrize(("behaviour", "cause", "words"), NOT_STARTING)
async def test_a_bot_that_does_not_start_loses(host: MatchHost, behaviour: str, cause: FaultCause, words: str) -> None:
    report = await play(host, [scripted(), scripted(behaviour)])
    fault = only_fault(report)
    assert (fault.seat, fault.cause, fault.ply) == (1, cause, 0)
    assert words in fault.explanation
    assert report.result.ranks == (1, 2)
    assert report.plies == 0


@pytest.mark.hostile("never-connect", "never-join")
@pytest.mark.parametrize("behaviour", [pytest.param("never-connect", marks=minutes), "never-join"])
async def test_a_bot_that_joins_too_late_loses(host: MatchHost, behaviour: str) -> None:
    await play(host, [scripted(), scripted()])
    clock = TimeControl(start_limit_us=400_000)  # the honest bot is warm, and needs no time to start
    with patient_starts():
        report = await play(host, [scripted(), scripted(behaviour)], clock=clock)
    assert only_fault(report).explanation == "It did not join within 0.4 s."


@pytest.mark.hostile("program-that-does-not-exist")
async def test_a_program_that_does_not_exist_is_a_failed_start(host: MatchHost) -> None:
    missing = SeatSpec("v", "missing", "/", ("no-such-program",), 1)
    fault = only_fault(await play(host, [missing, scripted()]))
    assert fault.cause is FaultCause.START_FAILED
    assert "no-such-program" in fault.explanation


@minutes
async def test_stderr_of_a_failed_start_is_kept(host: MatchHost) -> None:
    fault = only_fault(await play(host, [scripted("exit-at-once"), scripted()]))
    assert "cannot find my brain" in fault.evidence["stderr"]


@minutes
async def test_the_refusal_of_another_protocol_reaches_the_bot(host: MatchHost) -> None:
    with patient_autopsies():
        fault = only_fault(await play(host, [scripted("other-protocol"), scripted()]))
    assert "FAILED_PRECONDITION the bot speaks protocol 2.0" in fault.evidence["stderr"]


@pytest.mark.hostile("nobody-starts")
@minutes
async def test_a_match_in_which_nobody_starts_is_not_rated(host: MatchHost) -> None:
    report = await play(host, [scripted("exit-at-once"), scripted("exit-in-peace")])
    assert report.result.ranks == (1, 1)
    assert not report.result.rated


@minutes
async def test_the_caretaker_plays_on_for_a_bot_that_faulted(host: MatchHost) -> None:
    seats = [scripted(), scripted("garbage", at=1), scripted()]
    report = await play(host, seats, script="0:2 1:2 2:2 0:2 1:2 2:2 1:2")
    assert report.result.by_rules
    assert report.result.ranks == (1, 3, 1)
    assert [entry["by"] for entry in load(report.replay)["entries"]].count("caretaker") == 2


async def test_resigning_is_no_fault_and_the_process_is_kept(host: MatchHost, mark: str) -> None:
    report = await play(host, [scripted("resign"), scripted()])
    assert (report.result.resigned, report.result.faults, report.result.ranks) == ((0,), (), (2, 1))
    await host.settle()
    before = marked_processes(mark)
    await play(host, [scripted("resign"), scripted()])
    assert marked_processes(mark) == before


@minutes
async def test_notes_and_several_actions_reach_the_replay(host: MatchHost) -> None:
    report = await play(host, [scripted("many-at-once"), scripted("with-note")], script="0:2 0:2 0:2 1:2 0:2")
    entries = load(report.replay)["entries"]
    assert [entry["decide"] for entry in entries] == [0, 0, 0, 3, 4]
    assert entries[3]["note"] == "because"


@pytest.mark.hostile("flood-stderr")
@minutes
async def test_a_flood_of_output_harms_nobody_and_its_end_is_kept(host: MatchHost) -> None:
    report = await play(host, [scripted("flood-stderr"), scripted("garbage", at=1)])
    assert report.result.ranks == (1, 2)


@pytest.fixture
def talkative(tmp_path: Path) -> SeatSpec:
    main = tmp_path / "talkative.py"
    main.write_text(TALKATIVE, encoding="utf-8")
    return replace(scripted(), name="talkative", version=str(main), command=(sys.executable, str(main)))


async def logs(host: MatchHost, *seats: SeatSpec, match_id: str = "m1") -> tuple[SeatLogText, ...]:
    return (await play(host, seats, TWICE, match_id=match_id, keeps_logs=True)).seat_logs


def processes(report: MatchReport) -> list[tuple[int, bool, bool | None]]:
    assert all((process.peak_memory_bytes or 0) > 1_000_000 for process in report.seat_processes)
    return [(process.seat, process.was_warm, process.left_by_itself) for process in report.seat_processes]


async def test_a_match_has_what_was_written_in_it_and_the_first_also_what_came_before(
    host: MatchHost, talkative: SeatSpec
) -> None:
    first = await logs(host, talkative, scripted(), match_id="one")
    second = await logs(host, scripted(), talkative, match_id="two")
    assert first == (SeatLogText(0, b"started\nbegins one\nasked at 0\nasked at 1\n"),)
    assert second == (SeatLogText(1, b"begins two\nasked at 2\n"),)


@pytest.mark.needs("minutes")
async def test_of_a_long_log_both_ends_are_kept_and_the_gap_is_counted(host: MatchHost, talkative: SeatSpec) -> None:
    (log,) = await logs(host, talkative, scripted(), match_id="flood")
    assert len(log.data) == HEAD_BYTES + TAIL_BYTES
    assert LOG_HEAD_BYTES == HEAD_BYTES
    assert log.data.startswith(b"started\nbegins flood\n--")
    assert log.data.endswith(b"--asked at 1\n")
    written = b"started\nbegins flood\n" + 2 * (b"-" * 200_000) + b"asked at 0\nasked at 1\n"
    assert len(log.data) + log.cut_bytes == len(written)


async def test_nobody_pays_for_logs_that_were_not_asked_for(host: MatchHost, talkative: SeatSpec) -> None:
    report = await play(host, (talkative, scripted()), TWICE)
    assert (report.seat_logs, report.seat_processes) == ((), ())


@pytest.mark.needs("minutes")
async def test_silent_bots_have_no_log(host: MatchHost) -> None:
    assert await logs(host, scripted(), scripted()) == ()


@pytest.mark.needs("minutes")
async def test_the_last_words_of_a_bot_that_failed_are_in_its_log(host: MatchHost) -> None:
    with patient_autopsies():
        failed = await logs(host, scripted("leave-with-status-7"), scripted())
        not_started = await logs(host, scripted("exit-at-once"), scripted())
    assert failed == (SeatLogText(0, b"Traceback: no good\n"),)
    assert not_started == (SeatLogText(0, b"cannot find my brain\n"),)


@pytest.mark.needs("minutes")
async def test_a_report_tells_which_processes_had_played_before(host: MatchHost, talkative: SeatSpec) -> None:
    first = await play(host, (talkative, scripted("exit-at-once")), TWICE, keeps_logs=True)
    second = await play(host, (talkative, scripted("exit-at-once")), TWICE, keeps_logs=True)
    assert processes(first) == [(0, False, None)]
    assert processes(second) == [(0, True, None)]


@pytest.mark.needs("minutes")
async def test_fresh_bots_are_new_and_end_with_the_match(host: MatchHost, talkative: SeatSpec) -> None:
    with patient_autopsies():
        for _ in range(2):
            report = await play(host, (talkative, scripted()), TWICE, keeps_logs=True, uses_fresh_bots=True)
            assert processes(report) == [(0, False, True), (1, False, True)]
            assert report.seat_logs[0].data.startswith(b"started\n")


@pytest.mark.needs("minutes")
async def test_a_bot_that_does_not_leave_is_told_of(host: MatchHost) -> None:
    seats = (scripted("ignore-term"), scripted())  # asked once, or it would never answer again
    report = await play(host, seats, "0:3 1:3", keeps_logs=True, uses_fresh_bots=True)
    assert processes(report)[0] == (0, False, False)
