"""Plays on and on in every open ladder, while there is somebody to play."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from arena.service.activities.availability import update_availability
from arena.service.activities.context import Plays, ServiceContext, plays_all
from arena.service.scheduler.jobs import MatchPurpose
from arena.service.tasks import SupervisedTasks, TaskSpec
from arena.tournament.errors import NotPlayableError
from arena.tournament.rate_limit import MatchRateLimit, matches_to_look_at, pace_after, rate_of
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.read.ladders import absent_versions, contenders, last_starts, open_ladders
from ratings.read.tournaments import present_entrants
from ratings.store.ladders import RunningLadder

ROUND_S = 300.0


@dataclass(frozen=True, slots=True)
class _LadderEntrants:
    """A ladder and who takes part in its season."""

    running: RunningLadder
    present: tuple[str, ...]


class LadderRunner:
    """Keeps a run going for the season of each open ladder."""

    def __init__(
        self,
        context: ServiceContext,
        matches_per_day: int,
        clock: Callable[[], float] = time.monotonic,
        round_s: float = ROUND_S,
        plays: Plays = plays_all,
    ) -> None:
        """`matches_per_day` is the pace of ladders that have none of their own; 0 for none.

        Every `round_s` seconds it looks which runtimes have changed, and which absent bots can be started again.
        """
        self._context = context
        self._matches_per_day = matches_per_day
        self._clock = clock
        self._tasks = SupervisedTasks(context.supervisor)
        self._paces: dict[str, tuple[int, MatchRateLimit | None]] = {}
        self._round_s = round_s
        self._plays = plays

    async def look(self) -> None:
        """Begin what was opened, wake what somebody has joined, and end what was closed."""
        found = await asyncio.to_thread(self._read)
        # When runtimes have changed all runs begin anew, with what each bot runs in now.
        changes = self._context.programs.runtimes.changes
        runs = {f"{changes} {one.running.tournament.id}": self._assignment(one) for one in found}
        await self._tasks.reconcile({"attendance": TaskSpec("attendance", self._keep_availability), **runs})

    async def close(self) -> None:
        """End all runs; what was not finished goes back to the ledger."""
        await self._tasks.close()
        self._paces.clear()  # another service may play on before this one does

    async def _keep_availability(self) -> None:
        """Look again and again whether runtimes have changed, and whether absent bots can be started."""
        while True:
            await asyncio.sleep(self._round_s)
            await self._go_round()

    async def _go_round(self) -> None:
        changed = await asyncio.to_thread(self._context.programs.runtimes.look_again)
        if changed:
            self._context.log.warning("runtimes have changed, ladders begin anew with them", runtimes=changed)
        absent = await asyncio.to_thread(absent_versions, self._context.database)
        await update_availability(self._context, [(one.version, one.bot) for one in absent])

    def _read(self) -> list[_LadderEntrants]:
        # While its final is played, a season plays no further.
        found = [one for one in open_ladders(self._context.database) if one.season.final_tournament_id is None]
        running = [one for one in found if self._plays(one.pool.remote)]
        return [_LadderEntrants(one, present_entrants(self._context.database, one.tournament.id)) for one in running]

    def _assignment(self, one: _LadderEntrants) -> TaskSpec:
        # A run ends when too few are left; it begins again as soon as somebody comes.
        name = one.running.ladder.name
        return TaskSpec(f"ladder {name}", partial(self._play, one.running), (one.present, self._rate(one.running)))

    async def _play(self, running: RunningLadder) -> None:
        await update_availability(self._context, await asyncio.to_thread(contenders, self._context.database, running))
        ledger = LadderLedger(self._context.database)
        changes = await asyncio.to_thread(ledger.sync_ladder, running.ladder.id)
        if changes.joined or changes.withdrawn:
            self._context.log.info(
                "ladder synchronised", ladder=running.ladder.name, joined=changes.joined, withdrawn=changes.withdrawn
            )
        problems, about = self._context.supervisor.problems, f"tournament {running.tournament.id}"
        try:
            pace = await self._pace(running)
            await self._context.play(running.tournament.id, MatchPurpose.LADDER, running.ladder.name, pace)
        except NotPlayableError as error:  # it is tried again: who may play in it, or the settings, may change
            if problems.is_new(about, str(error)):
                self._context.log.warning("not playable", ladder=running.ladder.name, why=str(error))

    def _rate(self, running: RunningLadder) -> int:
        return rate_of(running.ladder.settings, self._matches_per_day)

    async def _pace(self, running: RunningLadder) -> MatchRateLimit | None:
        """Return the pace of a ladder, which it keeps from run to run, and over the end of the service."""
        rate = self._rate(running)
        known = self._paces.get(running.ladder.id)
        if known is None or known[0] != rate:
            pace = await asyncio.to_thread(self._resumed, running, rate) if rate else None
            known = self._paces[running.ladder.id] = rate, pace
        return known[1]

    def _resumed(self, running: RunningLadder, rate: int) -> MatchRateLimit:
        """Return the pace after what was played of it lately."""
        starts = last_starts(self._context.database, running.tournament.id, matches_to_look_at(rate))
        now_s, wall_s = self._clock(), time.time()
        return pace_after(rate, [now_s - (wall_s - start / 1e6) for start in starts], now_s)
