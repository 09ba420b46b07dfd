"""Plays on and on in every open ladder, while there is somebody to play."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from arena.service.activities.attendance import attend
from arena.service.activities.workshop import Plays, Workshop, plays_all
from arena.service.crew import Assignment, Crew
from arena.service.scheduler.jobs import Kind
from arena.tournament.errors import NotPlayableError
from arena.tournament.rate_limit import MatchRateLimit, matches_to_look_at, pace_after, rate_of
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.read.absences import absent_versions, contenders
from ratings.read.ladders import last_starts, open_ladders
from ratings.read.unfinished import present_entrants
from ratings.store.ladders import RunningLadder

ROUND_S = 300.0


@dataclass(frozen=True, slots=True)
class _Standing:
    """A ladder and who takes part in its season."""

    running: RunningLadder
    present: tuple[str, ...]


class LadderKeeper:
    """Keeps a run going for the season of each open ladder."""

    def __init__(
        self,
        shop: Workshop,
        matches_per_day: int,
        clock: Callable[[], float] = time.monotonic,
        round_s: float = ROUND_S,
        plays: Plays = plays_all,
    ) -> None:
        """`matches_per_day` is the pace of ladders that have none of their own; 0 for none.

        Every `round_s` seconds it looks which runtimes have changed, and which absent bots can be started again.
        """
        self._shop = shop
        self._matches_per_day = matches_per_day
        self._clock = clock
        self._crew = Crew(shop.supervisor)
        self._paces: dict[str, tuple[int, MatchRateLimit | None]] = {}
        self._round_s = round_s
        self._plays = plays

    async def look(self) -> None:
        """Begin what was opened, wake what somebody has joined, and end what was closed."""
        found = await asyncio.to_thread(self._read)
        # When runtimes have changed all runs begin anew, with what each bot runs in now.
        changes = self._shop.programs.runtimes.changes
        runs = {f"{changes} {one.running.tournament.id}": self._assignment(one) for one in found}
        await self._crew.reconcile({"attendance": Assignment("attendance", self._keep_attendance), **runs})

    async def close(self) -> None:
        """End all runs; what was not finished goes back to the ledger."""
        await self._crew.close()
        self._paces.clear()  # another service may play on before this one does

    async def _keep_attendance(self) -> None:
        """Look again and again whether runtimes have changed, and whether absent bots can be started."""
        while True:
            await asyncio.sleep(self._round_s)
            await self._go_round()

    async def _go_round(self) -> None:
        changed = await asyncio.to_thread(self._shop.programs.runtimes.look_again)
        if changed:
            self._shop.log.warning("runtimes have changed, ladders begin anew with them", runtimes=changed)
        absent = await asyncio.to_thread(absent_versions, self._shop.database)
        await attend(self._shop, [(one.version, one.bot) for one in absent])

    def _read(self) -> list[_Standing]:
        # While its final is played, a season plays no further.
        found = [one for one in open_ladders(self._shop.database) if one.season.final_tournament_id is None]
        running = [one for one in found if self._plays(one.pool.remote)]
        return [_Standing(one, present_entrants(self._shop.database, one.tournament.id)) for one in running]

    def _assignment(self, one: _Standing) -> Assignment:
        # A run ends when too few are left; it begins again as soon as somebody comes.
        name = one.running.ladder.name
        return Assignment(f"ladder {name}", partial(self._play, one.running), (one.present, self._rate(one.running)))

    async def _play(self, running: RunningLadder) -> None:
        await attend(self._shop, await asyncio.to_thread(contenders, self._shop.database, running))
        ledger = LadderLedger(self._shop.database)
        changes = await asyncio.to_thread(ledger.sync_ladder, running.ladder.id)
        if changes.joined or changes.withdrawn:
            self._shop.log.info(
                "ladder synchronised", ladder=running.ladder.name, joined=changes.joined, withdrawn=changes.withdrawn
            )
        troubles, about = self._shop.supervisor.troubles, f"tournament {running.tournament.id}"
        try:
            pace = await self._pace(running)
            await self._shop.play(running.tournament.id, Kind.LADDER, running.ladder.name, pace)
        except NotPlayableError as error:  # it is tried again: who may play in it, or the settings, may change
            if troubles.is_new(about, str(error)):
                self._shop.log.warning("not playable", ladder=running.ladder.name, why=str(error))

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
        starts = last_starts(self._shop.database, running.tournament.id, matches_to_look_at(rate))
        now_s, wall_s = self._clock(), time.time()
        return pace_after(rate, [now_s - (wall_s - start / 1e6) for start in starts], now_s)
