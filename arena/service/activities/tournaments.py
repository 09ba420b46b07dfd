"""Plays the tournaments and comparisons of the database that are not over, whoever created them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from arena.service.activities.context import Plays, ServiceContext, plays_all
from arena.service.scheduler.jobs import MatchPurpose
from arena.service.tasks import SupervisedTasks, TaskSpec
from arena.tournament.errors import NotPlayableError
from arena.tournament.formats.compare import Compare
from ratings.read.tournaments import UnfinishedTournament, unfinished_tournaments

LEFT_ALONE_US = 2_000_000
"""How long a new tournament is left to the command that created it, which may want to play it by itself.

One with remote bots, such as the table of a person who waits for it, is played at once: no command can play it."""


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
        ready = [one for one in found if one.remote or not _is_new(one, now_us) or one.id in self._tasks]
        await self._tasks.reconcile({one.id: self._assignment(one) for one in ready if one.id not in self._unplayable})

    async def close(self) -> None:
        """End all runs; what was not finished goes back to the ledger."""
        await self._tasks.close()

    def _read(self) -> list[UnfinishedTournament]:
        return [one for one in unfinished_tournaments(self._context.database) if self._plays(one.remote)]

    def _assignment(self, one: UnfinishedTournament) -> TaskSpec:
        kind = MatchPurpose.COMPARISON if one.format == Compare.traits.name else MatchPurpose.TOURNAMENT
        return TaskSpec(f"{kind.value} {one.name}", partial(self._play, one, kind))

    async def _play(self, one: UnfinishedTournament, kind: MatchPurpose) -> None:
        try:
            await self._context.play(one.id, kind, one.name)
        except NotPlayableError as error:
            # It is over by now, or for other rules than those installed: waiting helps in neither case.
            self._unplayable.add(one.id)
            self._context.log.warning("not playable", tournament=one.name, why=str(error))


def _is_new(one: UnfinishedTournament, now_us: int) -> bool:
    """Return whether the command that created a tournament may want to play it by itself.

    One of the future is not new: the clock was set back since, perhaps by days.
    """
    return 0 <= now_us - one.created_at_us < LEFT_ALONE_US
