"""Real bots that spend their time in every way, on a machine that is kept busy: who loses on time, and who does not."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.match.replay import load, read_figures
from arena.match.result import FaultCause
from arena.match.spec import SeatSpec
from arena.match.time_control import Figures, TimeControl
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from tests.support import busy_bot
from tests.support.patience import PATIENT
from tests.support.specs import script_spec, scripted

pytestmark = [
    pytest.mark.needs("minutes"),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it"),
]

TIGHT = TimeControl(decision_limit_us=200_000, margin_us=10_000, start_limit_us=PATIENT.start_limit_us)
WIDE = TimeControl(decision_limit_us=20_000_000, margin_us=0, start_limit_us=PATIENT.start_limit_us)


def busy(way: str, share: float) -> SeatSpec:
    program = Path(busy_bot.__file__)
    command = (sys.executable, str(program), way, str(share))
    return SeatSpec(f"{way}-{share}", way, str(program.parent), command, seed=1)


@contextmanager
def load_of(programs: int) -> Iterator[None]:
    """So many programs that never stop computing."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(programs)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


async def play(
    host: MatchHost, seats: Sequence[SeatSpec], script: str = "0:3 1:3", clock: TimeControl = WIDE, cores: int = 1
) -> MatchReport:
    report = await host.play(replace(script_spec(script, seats=tuple(seats), clock=clock), cores=cores))
    assert verify(report.replay) == []
    return report


def first_figures(report: MatchReport) -> Figures:
    return read_figures(load(report.replay))[0]


@pytest.mark.hostile("compute-beyond-the-limit-on-a-busy-host")
@pytest.mark.parametrize(("way", "share"), [("compute", 1.2), ("sleep", 40.0), ("napping-helpers", 40.0)])
async def test_a_bot_that_overruns_is_caught_on_a_busy_machine(host: MatchHost, way: str, share: float) -> None:
    with load_of(len(os.sched_getaffinity(0))):
        report = await play(host, [busy(way, share), scripted()], clock=TIGHT)
    (fault,) = report.result.faults
    assert (fault.seat, fault.cause) == (0, FaultCause.TIMEOUT)
    assert fault.evidence["looks"] > 0
    assert fault.evidence["charged_us"] <= fault.evidence["elapsed_us"]


@pytest.mark.hostile("let-children-and-threads-compute")
@pytest.mark.parametrize("way", ["compute", "short-threads", "children"])
async def test_what_a_bot_computes_counts_whatever_computes_it(host: MatchHost, way: str) -> None:
    report = await play(host, [busy(way, 0.02), scripted()])
    assert report.result.faults == ()
    figures = first_figures(report)
    assert figures.is_readable
    assert figures.cpu_us >= 360_000


@pytest.mark.parametrize("cores", [1, 2])
async def test_two_busy_threads_within_their_wall_time_are_not_charged_double(host: MatchHost, cores: int) -> None:
    report = await play(host, [busy("two-threads", 0.02), scripted()], cores=cores)
    assert report.result.faults == ()
    (entry, *_) = load(report.replay)["entries"]
    assert entry["charged_us"] == first_figures(report).charge_us(cores) <= entry["elapsed_us"]


async def test_a_sleeping_bot_is_charged_its_sleep(host: MatchHost) -> None:
    report = await play(host, [busy("sleep", 0.02), scripted()])
    assert report.result.faults == ()
    assert first_figures(report).cpu_us < first_figures(report).wall_us


@pytest.mark.hostile("compute-in-others-time")
async def test_a_bot_that_thinks_in_others_time_is_out(host: MatchHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.worker.freezer.FREE_US", 10**9)  # as where nobody can be put to sleep
    monkeypatch.setattr("arena.referee.measuring.PONDER_WINDOW_S", 0.2)
    monkeypatch.setattr("arena.referee.measuring.MOST_PONDER_SHARE", 0.02)  # on a busy machine it may not get much more
    report = await play(host, [busy("sleep", 0.5), busy("ponder", 0.0)], script="0:3 1:3")
    (fault,) = report.result.faults
    assert (fault.seat, fault.cause) == (1, FaultCause.RESOURCE)
    assert "in others' time" in fault.explanation
