"""How an executor keeps its workers, and who gets which match where there are many of both."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from arena.executor import local as local_module
from arena.executor import worker_pool as pool_module
from arena.executor.interface import ExecutorFailedError
from arena.executor.local import LocalExecutor
from arena.executor.worker_handle import ExecutorJob, WorkerProcess
from arena.executor.worker_pool import WorkerPool
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from tests.executor.pretended import PretendedChild
from tests.support.patience import PATIENCE_S
from tests.support.specs import script_spec

WORKERS, MATCHES = 20, 100


class AskedPlace:
    """A machine that counts how often it is asked for a match."""

    def __init__(self) -> None:
        self.asked = 0
        self.has_programs = False

    def takes(self, spec: MatchSpec) -> bool:  # noqa: ARG002 - the interface's argument
        self.asked += 1
        return self.has_programs

    def localize(self, spec: MatchSpec) -> MatchSpec:
        return spec

    def note_report(self, spec: MatchSpec, report: MatchReport) -> None:
        pass

    def note_loss(self, spec: MatchSpec, cause: HostCause) -> None:
        pass


class _Unreadable(PretendedChild):
    async def run(self) -> tuple[bool, int | None]:
        raise KeyError("replay")


async def test_nobody_waits_for_ever_if_the_end_of_a_worker_cannot_even_be_told() -> None:
    def fail(_: WorkerProcess, why: str) -> None:
        raise BrokenPipeError(why)

    pool = WorkerPool(fail)
    playing = asyncio.create_task(pool.run(script_spec("0:3")))
    pool.add(WorkerProcess((), *_calls(pool), on_lost=pool.move, carry=lambda *_: _Unreadable()))
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(ExecutorFailedError, match="BrokenPipeError: a worker cannot be served: KeyError: 'replay'"):
            await playing


class _Living(PretendedChild):
    async def run(self) -> tuple[bool, int | None]:
        await asyncio.Event().wait()
        raise AssertionError


def _calls(pool: WorkerPool) -> Any:
    return pool.dispatch, pool.take_back, pool.play_apart


def _workers(pool: WorkerPool, places: list[AskedPlace]) -> list[WorkerProcess]:
    def carry(*_: Any) -> Any:
        return _Living()

    made = [
        WorkerProcess((), *_calls(pool), on_lost=pool.move, carry=carry, place=places[number % len(places)])
        for number in range(WORKERS)
    ]
    for worker in made:
        pool.add(worker)
        worker.is_ready = True
    return made


async def test_machines_are_asked_once_for_what_all_matches_need_and_nobody_gets_more_than_others() -> None:
    pool, places = WorkerPool(lambda *_: None), [AskedPlace(), AskedPlace()]
    workers = _workers(pool, places)
    runs = [asyncio.create_task(pool.run(script_spec("0:3", match_id=f"m{one}"))) for one in range(MATCHES)]
    await asyncio.sleep(0)
    assert [place.asked for place in places] == [MATCHES, MATCHES], "each match once, however many wait"
    assert len(pool.waiting) == MATCHES
    for place in places:
        place.asked = 0
    pool.dispatch()
    assert [place.asked for place in places] == [1, 1]
    places[0].has_programs = True
    pool.dispatch()
    assert Counter(worker.load for worker in workers) == {2: WORKERS // 2, 0: WORKERS // 2}
    places[1].has_programs = True
    pool.dispatch()
    assert all(worker.load == 2 for worker in workers)
    assert len(pool.waiting) == MATCHES - 2 * WORKERS
    for run in runs:
        run.cancel()
    await asyncio.gather(*runs, return_exceptions=True)
    for task in pool._keepers.values():
        task.cancel()


class Worker:
    """A worker that runs until it is killed, or dies at once as often as it is told."""

    all: list[Worker]
    lives: Sequence[bool] = ()
    """Whether it was ready in each of the lives that end at once."""

    def __init__(
        self,
        cores: Sequence[int],
        on_room: Callable[[], None],
        on_unplayed: Callable[[ExecutorJob], None],
        on_crashed: Callable[[ExecutorJob, MatchLostError], None],
        options: Sequence[str],
        *,
        on_lost: Callable[[ExecutorJob, str], None],
    ) -> None:
        self.cores, self.options = cores, options
        self.on_room, self.on_unplayed, self.on_crashed, self.on_lost = on_room, on_unplayed, on_crashed, on_lost
        self.jobs: list[ExecutorJob] = []
        self.is_ready = False
        self.is_apart = False
        self.place = None
        self.runs = 0
        self.has_ended = False
        self._killed = asyncio.Event()
        Worker.all.append(self)

    @property
    def load(self) -> int:
        return len(self.jobs)

    async def run(self) -> bool:
        self.runs += 1
        if self.runs <= len(self.lives):
            return self.lives[self.runs - 1]
        await self._killed.wait()
        await asyncio.sleep(0)
        self.has_ended = True
        return True

    def stop(self) -> None:
        return

    def kill(self) -> None:
        self._killed.set()

    def takes(self, job: ExecutorJob) -> bool:
        return self.is_apart or not job.crashes

    def play(self, job: ExecutorJob) -> None:
        self.jobs.append(job)

    def withdraw(self, job: ExecutorJob) -> None:
        if job in self.jobs:
            self.jobs.remove(job)

    def last_words(self) -> str:
        return "no more"


@pytest.fixture
def _pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    Worker.all = []
    monkeypatch.setattr(local_module, "WorkerProcess", Worker)
    monkeypatch.setattr(pool_module, "STOP_GRACE_S", 0.01)


async def order(executor: LocalExecutor, count: int) -> list[asyncio.Task[object]]:
    specs = [script_spec("0:3", match_id=f"m{index}") for index in range(count)]
    tasks: list[asyncio.Task[object]] = [asyncio.create_task(executor.run(spec)) for spec in specs]
    await asyncio.sleep(0)
    return tasks


async def give_up(tasks: list[asyncio.Task[object]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.usefixtures("_pretended")
async def test_workers_share_the_memory_of_idle_bots() -> None:
    async with LocalExecutor(4, warm_mb=103):
        assert [worker.options[:2] for worker in Worker.all] == [("--warm-memory", "25")] * 4


@pytest.mark.usefixtures("_pretended")
@pytest.mark.parametrize(("machine_mb", "each"), [(1000, 256), (4000, 256), (6000, 375), (100_000, 768)])
async def test_workers_share_what_they_may_hold_themselves(
    machine_mb: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_module, "machine_bytes", lambda: machine_mb << 20)
    async with LocalExecutor(4):
        assert {worker.options[2:] for worker in Worker.all} == {("--memory", str(each))}


@pytest.mark.usefixtures("_pretended")
async def test_a_match_with_which_a_worker_fell_goes_only_to_one_that_serves_its_bots_apart() -> None:
    async with LocalExecutor(2) as executor:
        first, second = Worker.all
        first.is_ready = second.is_ready = True
        tasks = await order(executor, 2)
        (fallen,), _ = first.jobs, second.jobs
        first.is_ready, first.is_apart, first.jobs = False, True, []
        first.on_crashed(fallen, MatchLostError("it fell"))
        second.jobs.clear()
        second.on_room()
        assert second.jobs == []
        first.is_ready = True
        first.on_room()
        assert first.jobs == [fallen]
        await give_up(tasks)


def death(signal: int = 11) -> MatchLostError:
    return MatchLostError("it fell", evidence={"exit_status": 0, "signal": signal})


async def tried(worker: Worker, *hostile: int) -> list[list[int]]:
    """Play what comes, and fall with the match and whoever is hostile; return which of its bots each trial had."""
    trials = []
    for _ in range(2):
        (job,) = worker.jobs
        worker.jobs = []
        worker.on_crashed(job, death())
    for _ in range(3):
        await asyncio.sleep(0.001)
        (job,) = worker.jobs
        worker.jobs = []
        assert job.is_trial
        trials.append([index for index, seat in enumerate(job.spec.seats) if seat.name != "random"])
        worker.on_crashed(job, death()) if trials[-1][0] in hostile else job.fail(death(9))
    await asyncio.sleep(0.001)
    return trials


@pytest.mark.usefixtures("_pretended")
@pytest.mark.parametrize("hostile", [(1,), (0, 2)])
async def test_a_worker_that_falls_though_its_bots_are_apart_tries_each_alone_and_plays_without_the_guilty(
    hostile: tuple[int, ...],
) -> None:
    async with LocalExecutor(1) as executor:
        (worker,) = Worker.all
        worker.is_ready = worker.is_apart = True
        task = asyncio.create_task(executor.run(script_spec("0:3 1:3 2:3", 3)))
        await asyncio.sleep(0)
        assert await tried(worker, *hostile) == [[0], [1], [2]]
        (job,) = worker.jobs
        assert not job.is_trial
        barred = {index: seat.barred for index, seat in enumerate(job.spec.seats) if seat.barred is not None}
        assert barred == {seat: {"worker": "it fell"} for seat in hostile}
        worker.on_crashed(job, death())
        with pytest.raises(MatchLostError, match="it fell"):
            await task


@pytest.mark.usefixtures("_pretended")
async def test_a_match_with_which_workers_fall_by_nobody_alone_is_lost() -> None:
    async with LocalExecutor(1) as executor:
        (worker,) = Worker.all
        worker.is_ready = worker.is_apart = True
        task = asyncio.create_task(executor.run(script_spec("0:3 1:3 2:3", 3)))
        await asyncio.sleep(0)
        await tried(worker)
        with pytest.raises(MatchLostError, match="it fell"):
            await task


@pytest.mark.usefixtures("_pretended")
async def test_only_pinned_workers_have_cores() -> None:
    async with LocalExecutor(2, pin=False):
        assert [worker.cores for worker in Worker.all] == [(), ()]


@pytest.mark.usefixtures("_pretended")
async def test_a_worker_that_is_ready_gets_one_match_until_all_are() -> None:
    async with LocalExecutor(2) as executor:
        first, second = Worker.all
        first.is_ready = True
        tasks = await order(executor, 5)
        assert [worker.load for worker in Worker.all] == [1, 0]
        second.is_ready = True
        second.on_room()
        assert [worker.load for worker in Worker.all] == [2, 2]
        assert [job.spec.match_id for job in second.jobs] == ["m1", "m3"]
        first.jobs.pop(0)
        first.on_room()
        assert [job.spec.match_id for job in first.jobs] == ["m2", "m4"]
        await give_up(tasks)


@pytest.mark.usefixtures("_pretended")
async def test_a_match_that_comes_back_unplayed_is_the_next() -> None:
    async with LocalExecutor(1) as executor:
        (worker,) = Worker.all
        worker.is_ready = True
        tasks = await order(executor, 4)
        returned = worker.jobs.pop()
        worker.is_ready = False
        worker.on_unplayed(returned)
        worker.is_ready = True
        worker.on_room()
        assert [job.spec.match_id for job in worker.jobs] == ["m0", "m1"]
        await give_up(tasks)


@pytest.mark.usefixtures("_pretended")
@pytest.mark.parametrize(
    ("lives", "runs"),
    [((False,) * 3, 3), ((False, False, True, False, False, False), 6), ((False, False, True, False, False), 6)],
)
async def test_a_worker_is_given_up_after_three_deaths_before_it_was_ready(
    monkeypatch: pytest.MonkeyPatch, lives: Sequence[bool], runs: int
) -> None:
    monkeypatch.setattr(Worker, "lives", lives)
    async with LocalExecutor(1) as executor:
        tasks = await order(executor, 1)
        for _ in range(20):
            await asyncio.sleep(0)
        assert Worker.all[0].runs == runs
        if lives[-3:] == (False,) * 3:
            with pytest.raises(ExecutorFailedError, match=r"3 times before it was ready; the last said: no more"):
                await tasks[0]
        await give_up(tasks)


@pytest.mark.usefixtures("_pretended")
async def test_whoever_leaves_waits_for_the_end_of_those_it_killed() -> None:
    async with LocalExecutor(2):
        await asyncio.sleep(0)
    assert [worker.has_ended for worker in Worker.all] == [True, True]


@pytest.mark.usefixtures("_pretended")
async def test_nobody_is_looked_for_any_more_whose_match_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[str] = []

    async def search(*_: object) -> dict[int, dict[str, object]]:
        searches.append("begun")
        try:
            await asyncio.Event().wait()
        finally:
            searches.append("ended")
        return {}

    monkeypatch.setattr(pool_module, "find_guilty", search)
    async with LocalExecutor(1) as executor:
        (task,) = await order(executor, 1)
        job = executor._pool._jobs["m0"]
        job.crashes = 1  # its worker fell, and now the one that served its bots apart
        executor._pool.play_apart(job, MatchLostError("its worker ended"))
        await asyncio.sleep(0)
        assert searches == ["begun"]
        await executor.cancel("m0")
        with pytest.raises(MatchLostError, match="cancelled"):
            await task
        await asyncio.sleep(0)
        assert searches == ["begun", "ended"]
