"""Plays matches on all machines of a Ray cluster: machines come and go, and what a lost one played is played again.

Only this process decides what is played where, and only it tells results: what a machine says that was given up is
heard by nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from typing import Self

from arena.executor.interface import ExecutorFailedError
from arena.executor.ray.fleet import Fleet
from arena.executor.ray.proving import RayOptions
from arena.executor.ray.session import are_cores_held, join, leave, look_at_nodes
from arena.executor.worker_pool import WorkerPool
from arena.match.live import LiveEvent
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from engine.translatable import Text

LOOK_S = 1.0
"""How often the head is asked for its machines."""
START_S = 120.0
"""The first machines may take so long to prove themselves and to have a core free."""
HELD_S = 2.0
"""One that just ended gives its cores back so soon."""
FILL_S = 8.0
"""So long the others are waited for then."""
EMPTY_S = 60.0
"""A cluster may be without any machine that plays for so long."""


class RayExecutor:
    """An `arena.executor.interface.Executor` whose workers are on the machines of a cluster."""

    def __init__(self, options: RayOptions) -> None:
        self._options = options
        self._pool = WorkerPool(lambda worker, why: self._fleet.end_worker(worker, why))
        self._fleet = Fleet(options, self._pool)
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Join the cluster and wait for its machines to be proved. Raises ExecutorFailedError if none can play."""
        await join(self._options.address)
        try:
            is_held = await are_cores_held(self._options.cores)
            self._watching = asyncio.create_task(self._watch())
            await self._wait_for_first(is_held)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End every worker, bot and actor, on every machine, and leave the cluster."""
        try:
            if self._watching is not None:
                self._watching.cancel()
                with suppress(asyncio.CancelledError):
                    await self._watching
            self._fleet.close()
            await self._pool.close()
        finally:
            self._fleet.end()
            await leave()

    def slots(self) -> int:
        """Return how many matches are played at once just now."""
        return max(1, len(self._pool.workers))

    def count_warm_bots(self) -> int:
        return self._pool.count_warm_bots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        return await self._pool.run(spec)

    async def cancel(self, match_id: str) -> None:
        self._pool.cancel(match_id)

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        return self._pool.watch(match_id, after, logs)

    async def failed(self) -> Exception:
        """Return why nothing can be played any more, as soon as that is so."""
        while self._pool.failure is None:
            await asyncio.sleep(LOOK_S)
        return self._pool.failure

    async def _wait_for_first(self, is_held: bool) -> None:
        """Wait until something can be played. `is_held` tells whether others had all cores before we asked for any."""
        loop = asyncio.get_running_loop()
        held_s, filled_s, deadline_s = (loop.time() + limit_s for limit_s in (HELD_S, FILL_S, START_S))
        while not (self._pool.workers and (self._fleet.has_settled or loop.time() > filled_s)):
            if self._pool.failure is not None:
                raise self._pool.failure
            if self._fleet.has_looked and not self._fleet.has_hope:
                raise ExecutorFailedError(self._fleet.why_empty())
            if is_held and loop.time() > held_s and not self._pool.workers:
                is_held = False
                self._options.report(
                    Text("others hold all cores of the cluster; this waits {count} s for one", count=f"{START_S:g}")
                )
            if loop.time() > deadline_s:
                why = Text("no machine of the cluster has a core free; end what else runs there, or wait")
                raise ExecutorFailedError(why)
            await asyncio.sleep(0.05)

    async def _watch(self) -> None:
        """Follow the machines of the cluster until this is cancelled, or nothing can be played any more."""
        loop = asyncio.get_running_loop()
        had_hope_s = loop.time()
        try:
            while self._pool.failure is None:
                self._fleet.look(await look_at_nodes())
                if self._fleet.has_hope:
                    had_hope_s = loop.time()
                elif loop.time() - had_hope_s > EMPTY_S:
                    raise ExecutorFailedError(self._fleet.why_empty())
                await asyncio.sleep(LOOK_S)
        except ExecutorFailedError as error:
            self._pool.fail(error)
        except Exception as error:  # nobody awaits this task, so the error would be lost and `run` would wait for ever
            self._pool.fail(ExecutorFailedError(f"the cluster cannot be followed: {type(error).__name__}: {error}"))
