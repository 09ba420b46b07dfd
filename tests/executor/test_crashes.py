"""Workers that fall through a hole nobody has thought of: whose bot did it is found, and the others lose nothing."""

import asyncio
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.executor import child_handle as child
from arena.executor.local import LocalExecutor
from arena.match.spec import SeatSpec
from arena.match.verify import verify
from arena.match.worker_report import MatchReport
from tests.support.keeper import copy_zoo, zoo_seat
from tests.support.processes import marked_processes
from tests.support.specs import king_spec

pytestmark = pytest.mark.needs("minutes")

LIMITS = ("--memory", "250", "--cpu", "0.5")


@pytest.fixture(autouse=True)
def hole(monkeypatch: pytest.MonkeyPatch, mark: str) -> Iterator[None]:
    """Workers and bot proxies have a hole and low limits, and nothing is left of them."""
    program = [sys.executable, "-m", "tests.support.hole", "arena.worker"]
    monkeypatch.setattr(child, "worker_command", lambda words: [*program, *words, *LIMITS])
    yield
    assert marked_processes(mark) == {}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_zoo(tmp_path_factory.mktemp("zoo"))


def bots(zoo: Path, *behaviours: str) -> list[SeatSpec]:
    return [zoo_seat(zoo, f"{behaviour}-through-a-hole" if behaviour else "") for behaviour in behaviours]


def faults(report: MatchReport) -> dict[int, str]:
    assert verify(report.replay) == []
    assert report.attempt == 1
    return {fault.seat: fault.cause for fault in report.result.faults}


@pytest.mark.hostile("crash-through-a-hole", "fill-through-a-hole")
async def test_two_who_bring_workers_down_are_named_and_the_others_lose_nothing(zoo: Path) -> None:
    hostile = king_spec("m1", bots(zoo, "crash", "fill", ""))
    honest = king_spec("m2", bots(zoo, "", "", ""))
    async with LocalExecutor(1) as executor:
        report, other = await asyncio.gather(executor.run(hostile), executor.run(honest))
    assert faults(report) == {0: "FLOOD", 1: "FLOOD"}
    assert report.result.ranks[2] == 1
    crashed, filled = report.result.faults
    assert signal.SIGSEGV.name in crashed.evidence["bot_proxy"]
    assert "250 MB are allowed" in filled.evidence["bot_proxy"]
    assert faults(other) == {}


@pytest.mark.hostile("burn-through-a-hole")
async def test_one_who_burns_the_workers_time_is_named(zoo: Path) -> None:
    async with LocalExecutor(1) as executor:
        report = await executor.run(king_spec("m1", bots(zoo, "", "burn", "")))
    assert faults(report) == {1: "FLOOD"}
    assert "0.5 s are allowed" in report.result.faults[0].evidence["bot_proxy"]
    assert report.result.ranks[1] == 3


@pytest.mark.hostile("crash-by-a-message")
@pytest.mark.parametrize("by", ["grpc", "socket", "lines"])
async def test_one_who_brings_down_whoever_plays_is_found_by_playing_alone(zoo: Path, by: str) -> None:
    honest = zoo_seat(zoo, by=by)
    async with LocalExecutor(1) as executor:
        report = await executor.run(king_spec("m1", [honest, zoo_seat(zoo, "crash-by-a-message", by=by), honest]))
    assert faults(report) == {1: "FLOOD"}
    assert signal.SIGSEGV.name in report.result.faults[0].evidence["worker"]
    assert report.result.ranks[1] == 3


@pytest.mark.hostile("fill-when-warm")
async def test_who_does_it_when_its_match_is_over_brings_down_one_worker_only(zoo: Path, mark: str) -> None:
    """While it is kept warm, or before the report is written: then it is named in that."""
    warm = [zoo_seat(zoo, "fill-when-warm"), *bots(zoo, "", "")]
    async with LocalExecutor(1) as executor:
        (worker,) = executor._pool.workers
        assert faults(await executor.run(king_spec("m1", warm))) in ({}, {0: "FLOOD"})
        while not (worker.is_apart and worker.is_ready):
            await asyncio.sleep(0.01)
        before = workers(mark)
        assert faults(await executor.run(king_spec("m2", warm))) in ({}, {0: "FLOOD"})
        while any("fill-when-warm" in command for command in marked_processes(mark).values()):
            assert faults(await executor.run(king_spec("m3", bots(zoo, "", "", "")))) == {}
        assert workers(mark) == before


def workers(mark: str) -> list[int]:
    return [pid for pid, command in marked_processes(mark).items() if "hole arena.worker --" in command]
