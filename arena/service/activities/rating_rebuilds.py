"""Goes on with ratings that are computed anew after an annulment, where whoever began it was killed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial

from arena.service.activities.context import ServiceContext
from arena.service.tasks import SupervisedTasks, TaskSpec
from ratings.ledger.service import ServiceLedger
from ratings.read.leaderboard import unfinished_pools

LEFT_ALONE_S = 30.0
"""How long nothing may have moved until it is taken for left behind: whoever annuls computes the ratings himself."""

_Mark = tuple[int, int]


class RatingRebuilder:
    """Looks for pools whose ratings are unfinished, and finishes those with which nobody gets on."""

    def __init__(
        self, context: ServiceContext, left_alone_s: float = LEFT_ALONE_S, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """What is unfinished at the first look was left by another life of the service, and is taken at once."""
        self._context = context
        self._left_alone_s = left_alone_s
        self._clock_s = clock_s
        self._tasks = SupervisedTasks(context.supervisor)
        self._stopping = threading.Event()
        self._seen: dict[str, tuple[_Mark, float]] | None = None

    async def look(self) -> None:
        """Begin with what was left behind."""
        found = dict(await asyncio.to_thread(unfinished_pools, self._context.database))
        is_first, before, now_s = self._seen is None, self._seen or {}, self._clock_s()
        self._seen = {}
        for pool_id, mark in found.items():
            known = before.get(pool_id)
            since_s = now_s if known is None or known[0] != mark else known[1]
            self._seen[pool_id] = mark, now_s - self._left_alone_s if is_first else since_s
        left = [
            pool_id
            for pool_id, (_, since_s) in self._seen.items()
            if now_s - since_s >= self._left_alone_s or pool_id in self._tasks
        ]
        await self._tasks.reconcile({pool_id: TaskSpec("ratings", partial(self._finish, pool_id)) for pool_id in left})

    async def close(self) -> None:
        """End it between two pieces; it may begin anew, and then takes at once what was left."""
        self._stopping.set()
        await self._tasks.close()
        self._stopping.clear()
        self._seen = None

    async def _finish(self, pool_id: str) -> None:
        ledger = ServiceLedger(self._context.database)
        # A thread cannot be cancelled, and works on a database that will be closed: it is waited for.
        working = asyncio.ensure_future(asyncio.to_thread(ledger.finish_ratings, pool_id, self._stopping.is_set))
        try:
            is_done = await asyncio.shield(working)
        except asyncio.CancelledError:
            await asyncio.wait([working])
            raise
        if is_done:
            self._context.log.info("ratings computed anew", pool=pool_id[:12])
