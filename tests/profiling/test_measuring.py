"""A run is looked at twice: when every worker has played, and some time later."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arena.profiling.measuring import Measuring, Recording
from arena.profiling.processes import Role
from arena.profiling.sheet import Sheet, new_words
from arena.profiling.split import UnmeasuredError, split_of

WORKER = """
import os, sys
from pathlib import Path
from arena.profiling.sheet import shared_sheet
with shared_sheet(Path(sys.argv[1]) / str(os.getpid())) as sheet:
    print("ready", flush=True)
    for line in sys.stdin:
        sheet.count_decisions(5, 100)
        sheet.count_match()
        print("played", flush=True)
"""


class Worker:
    """A process that plays a match whenever it is told to."""

    def __init__(self, directory: Path) -> None:
        words = [sys.executable, "-c", WORKER, str(directory)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._hear("ready")

    @property
    def pid(self) -> int:
        return self._process.pid

    def play(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._hear("played")

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _hear(self, word: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == f"{word}\n"


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Worker]]:
    found = [Worker(tmp_path), Worker(tmp_path)]
    yield found
    for one in found:
        one.end()


def measuring(directory: Path, count: int = 2) -> Measuring:
    return Measuring(directory, count, Sheet(new_words()), Recording())


@contextlib.asynccontextmanager
async def endless() -> AsyncIterator[asyncio.Task[object]]:
    """A run that goes on until the block ends."""
    run: asyncio.Task[object] = asyncio.ensure_future(asyncio.Event().wait())
    yield run
    run.cancel()


async def test_nothing_is_measured_before_every_worker_has_played(tmp_path: Path, workers: list[Worker]) -> None:
    told: list[float] = []

    def tell(measured_s: float) -> None:
        told.append(measured_s)
        if len(told) == 1:
            workers[0].play()
        elif len(told) == 2:
            workers[1].play()
        elif measured_s:
            workers[0].play()

    async with endless() as run:
        first, last = await measuring(tmp_path).measure(run, 0.3, tell)
    assert told[:2] == [0.0, 0.0]
    assert first.workers.keys() == last.workers.keys() == {worker.pid for worker in workers}
    assert last.at_s - first.at_s >= 0.3
    assert split_of(first, last).decisions % 5 == 0
    assert last.roles[Role.WORKER] >= first.roles[Role.WORKER] > 0
    assert last.roles[Role.COORDINATOR] > first.roles[Role.COORDINATOR] > 0


async def test_it_is_measured_until_a_decision_was_taken_however_long_that_takes(
    tmp_path: Path, workers: list[Worker]
) -> None:
    for worker in workers:
        worker.play()

    def tell(measured_s: float) -> None:
        if measured_s > 0.1:
            workers[1].play()

    async with endless() as run:
        first, last = await measuring(tmp_path).measure(run, 0.1, tell)
    assert last.at_s - first.at_s > 0.1
    assert split_of(first, last).decisions == 5


async def test_a_worker_that_ends_meanwhile_is_missed(tmp_path: Path, workers: list[Worker]) -> None:
    for worker in workers:
        worker.play()

    def tell(_measured_s: float) -> None:
        workers[1].end()

    async with endless() as run:
        looks = await measuring(tmp_path).measure(run, 0.1, tell)
    with pytest.raises(UnmeasuredError, match="a worker ended"):
        split_of(*looks)


async def test_what_ends_the_run_is_raised(tmp_path: Path) -> None:
    async def fail() -> None:
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        await measuring(tmp_path).measure(asyncio.ensure_future(fail()), 600, lambda _: None)


async def test_a_run_that_is_over_early_is_looked_at_as_far_as_it_went(tmp_path: Path, workers: list[Worker]) -> None:
    for worker in workers:
        worker.play()
    over = asyncio.Event()

    def tell(_measured_s: float) -> None:
        workers[0].play()
        over.set()

    first, last = await measuring(tmp_path).measure(asyncio.ensure_future(over.wait()), 600, tell)
    assert split_of(first, last).decisions == 5


def test_results_wait_from_their_coming_to_their_recording() -> None:
    recording = Recording()
    recording.come()
    recording.come()
    assert recording.waited_s == 0
    recording.record(1)
    after_one = recording.waited_s
    recording.record(1)
    assert recording.waited_s == after_one > 0, "nothing new was recorded"
    recording.record(2)
    assert recording.waited_s > after_one
    assert recording.recorded == 2
