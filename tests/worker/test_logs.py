"""What a bot writes during a match comes back with the match: that, all of it or its two ends, and nothing else."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.launcher.launched_bot import HEAD_BYTES, TAIL_BYTES
from arena.match.report import LOG_HEAD_BYTES, MatchReport, SeatLogText
from arena.match.spec import SeatSpec
from arena.worker.host import MatchHost
from tests.support.patience import patient_autopsies
from tests.support.specs import scripted
from tests.worker.hosted import TWICE, play

pytestmark = pytest.mark.asyncio(loop_scope="module")

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
