"""Plays tournaments and comparisons that are not over, and finishes ratings whose recomputation was interrupted."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial

from arena.service.activities.context import Plays, ServiceContext, plays_all
from arena.service.scheduler.queue import MatchPurpose
from arena.service.task_supervision import SupervisedTasks, TaskSpec
from arena.tournament.errors import NotPlayableError
from arena.tournament.formats.compare import Compare
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.leaderboard import unfinished_pools
from ratings.read.tournaments import UnfinishedTournament, unfinished_tournaments

LEFT_ALONE_US = 2_000_000
"""How long a new tournament is left to the command that created it, which may want to play it by itself.

One with remote bots, such as the table of a person who waits for it, is played at once: no command can play it."""
LEFT_ALONE_S = 30.0
"""How long nothing may have moved until it is taken for left behind: whoever annuls computes the ratings himself."""


class TournamentQueue:
    """Keeps a run going for each tournament that is not over."""

    def __init__(
        self,
        context: ServiceContext,
        now_us: Callable[[], int] = lambda: time.time_ns() // 1000,
        plays: Plays = plays_all,
    ) -> None:
        self._context = context
        self._plays = plays
        self._now_us = now_us
        self._tasks = SupervisedTasks(context.supervisor)
        self._unplayable: set[str] = set()

    async def look(self) -> None:
        """Begin what is new, and end what is over or was cancelled."""
        found = await asyncio.to_thread(self._read)
        now_us = self._now_us()
        # Seen once, it goes on: whoever sets the clock back does not stop what is being played.
        # A tournament of the future is not new: the clock was set back since, perhaps by days.
        wanted = {}
        for one in found:
            is_ready = one.remote or not 0 <= now_us - one.created_at_us < LEFT_ALONE_US or one.id in self._tasks
            if is_ready and one.id not in self._unplayable:
                kind = MatchPurpose.COMPARISON if one.format == Compare.traits.name else MatchPurpose.TOURNAMENT
                wanted[one.id] = TaskSpec(f"{kind.value} {one.name}", partial(self._play, one, kind))
        await self._tasks.reconcile(wanted)

    async def close(self) -> None:
        """End all runs; what was not finished goes back to the ledger."""
        await self._tasks.close()

    def _read(self) -> list[UnfinishedTournament]:
        return [one for one in unfinished_tournaments(self._context.database) if self._plays(one.remote)]

    async def _play(self, one: UnfinishedTournament, kind: MatchPurpose) -> None:
        try:
            await self._context.play(one.id, kind, one.name)
        except NotPlayableError as error:
            # It is over by now, or for other rules than those installed: waiting helps in neither case.
            self._unplayable.add(one.id)
            self._context.log.warning("not playable", tournament=one.name, why=str(error))


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
