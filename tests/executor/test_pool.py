"""Who gets which match where there are many workers and many matches: nobody is asked again and again."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from arena.executor.interface import ExecutorFailedError
from arena.executor.pool import WorkerPool
from arena.executor.worker_process import WorkerProcess
from arena.match.report import MatchReport
from arena.match.result import HostCause
from arena.match.spec import MatchSpec
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
