"""A run is looked at twice, and where time went between the two looks adds up to what was used."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.profiling.parts import ProfilePart
from arena.profiling.run_recorder import Measuring, Recording
from arena.profiling.shared_counters import Reading, Sheet, WorkerPhase, new_words
from arena.profiling.split import PartCost, Role, RunSnapshot, UnmeasuredError, split_of

WORKER = """
import os, sys
from pathlib import Path
from arena.profiling.shared_counters import shared_sheet
with shared_sheet(Path(sys.argv[1]) / str(os.getpid())) as sheet:
    print("ready", flush=True)
    for line in sys.stdin:
        sheet.count_decisions(5, 100)
        sheet.count_match()
        print("played", flush=True)
"""
NOTHING = Reading(dict.fromkeys(ProfilePart, 0.0), 0, dict.fromkeys(WorkerPhase, 0.0), 0, 0, 0.0)
FIRST = RunSnapshot(100.0, {1: NOTHING, 2: NOTHING}, NOTHING, dict.fromkeys(Role, 0.0))
WALLS = {WorkerPhase.WAIT: 0.5, WorkerPhase.START: 0.5, WorkerPhase.PLAY: 3.5, WorkerPhase.END: 0.5}


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


def reading(cpu_s: Mapping[ProfilePart, float], **changes: object) -> Reading:
    values = {"samples": 400, "decisions": 1000, "matches": 10, **changes}
    return replace(NOTHING, cpu_s={**NOTHING.cpu_s, **cpu_s}, **values)  # type: ignore[arg-type]


WORKER_SHEET = reading({ProfilePart.ENGINE: 0.4, ProfilePart.TRANSPORT: 0.6}, wall_s=WALLS, asked_s=3.0)


LAST = RunSnapshot(
    at_s=105.0,
    workers={1: WORKER_SHEET, 2: WORKER_SHEET},
    coordinator=reading({ProfilePart.RECORDING: 0.3, ProfilePart.COORDINATOR: 0.1}, decisions=0),
    roles={Role.WORKER: 2.2, Role.COORDINATOR: 0.4, Role.LAUNCHER: 0.1, Role.BOT: 1.0},
    recorded=20,
    recording_s=0.1,
)


def costs(last: RunSnapshot) -> dict[ProfilePart, PartCost]:
    return {cost.part: cost for cost in split_of(FIRST, last).parts}


def test_a_decision_costs_what_each_part_computed_for_it() -> None:
    found = costs(LAST)
    assert {part: round(cost.cpu_us, 6) for part, cost in found.items() if cost.cpu_us} == {
        ProfilePart.ENGINE: 400,
        ProfilePart.TRANSPORT: 600,
        ProfilePart.RECORDING: 150,
        ProfilePart.COORDINATOR: 50,
        ProfilePart.LAUNCHER: 50,
        ProfilePart.BOT: 500,
        ProfilePart.OTHER: 100,
    }
    assert found[ProfilePart.BOT].margin_us == 0, "a clock was read"
    # 800 samples of workers that used 2.2 s, of which the engine had 0.8: 2 sqrt(p (1 - p) / n).
    share = 0.8 / 2.2
    assert found[ProfilePart.ENGINE].margin_us == pytest.approx(
        2 * (share * (1 - share) / 800) ** 0.5 * 2.2 / 2000 * 1e6
    )


def test_the_split_tells_how_much_was_played_and_how_busy_the_cores_were() -> None:
    split = split_of(FIRST, LAST)
    assert (split.decisions, split.matches, split.workers, split.samples) == (2000, 20, 2, 1200)
    assert split.decisions_per_s == 400
    assert split.cpu_us == pytest.approx(1850)
    assert split.busy_cores == pytest.approx(3.7 / 5)
    assert split.recording_ms == pytest.approx(5.0)


def test_the_time_of_a_match_is_that_of_its_worker_with_the_hand_over() -> None:
    walls = {wall.stretch: wall for wall in split_of(FIRST, LAST).walls}
    assert {name: wall.wall_ms for name, wall in walls.items()} == pytest.approx(
        {"wait": 50, "start": 50, "asked": 300, "between": 50, "end": 50}
    )
    assert sum(wall.share for wall in walls.values()) == pytest.approx(1)


@given(
    used=st.lists(st.floats(0, 100), min_size=4, max_size=4),
    sampled=st.lists(st.floats(0, 100), min_size=len(ProfilePart), max_size=len(ProfilePart)),
    own=st.lists(st.floats(0, 100), min_size=len(ProfilePart), max_size=len(ProfilePart)),
)
def test_the_parts_add_up_to_what_the_processes_used(used: list[float], sampled: list[float], own: list[float]) -> None:
    roles = dict(zip(Role, used, strict=True))
    inside = (ProfilePart.BOT, ProfilePart.LAUNCHER)  # processes of their own, of which no sheet says anything
    workers = {part: cpu_s for part, cpu_s in zip(ProfilePart, sampled, strict=True) if part not in inside}
    coordinator = {part: cpu_s for part, cpu_s in zip(ProfilePart, own, strict=True) if part not in inside}
    last = replace(LAST, workers={1: reading(workers), 2: NOTHING}, coordinator=reading(coordinator), roles=roles)
    split = split_of(FIRST, last)
    total_us = sum(used) / 1000 * 1e6
    assert sum(cost.cpu_us for cost in split.parts) == pytest.approx(total_us, abs=1e-3)
    assert split.cpu_us == pytest.approx(total_us, abs=1e-3)
    assert all(cost.cpu_us >= 0 for cost in split.parts)


@pytest.mark.parametrize("pids", [(1,), (1, 3), (1, 2, 3)])
def test_if_a_worker_came_or_went_meanwhile_nothing_is_told(pids: tuple[int, ...]) -> None:
    with pytest.raises(UnmeasuredError, match="measure again"):
        split_of(FIRST, replace(LAST, workers=dict.fromkeys(pids, WORKER_SHEET)))


def test_if_nothing_was_played_nothing_is_told() -> None:
    with pytest.raises(UnmeasuredError, match="--seconds"):
        split_of(FIRST, replace(FIRST, at_s=101.0))


def test_a_run_in_which_no_result_was_recorded_tells_no_time_for_it() -> None:
    assert split_of(FIRST, replace(LAST, recorded=0, recording_s=0.0)).recording_ms is None
