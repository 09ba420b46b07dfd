"""Plays on and on in every open ladder, while there is somebody to play."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from arena.service.activities.workshop import Workshop
from arena.service.crew import Assignment, Crew
from arena.service.scheduler.jobs import Kind
from arena.service.scheduler.pace import Pace
from arena.tournament.errors import NotPlayableError
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.read.ladders import open_ladders
from ratings.read.unfinished import present_entrants
from ratings.store.ladders import RunningLadder

MATCHES_PER_DAY = "matches_per_day"
"""The setting of a ladder that holds it to a pace; 0 for none."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """A ladder and who takes part in its season."""

    running: RunningLadder
    present: tuple[str, ...]


class LadderKeeper:
    """Keeps a run going for the season of each open ladder."""

    def __init__(self, shop: Workshop, matches_per_day: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`matches_per_day` is the pace of ladders that have none of their own; 0 for none."""
        self._shop = shop
        self._matches_per_day = matches_per_day
        self._clock = clock
        self._crew = Crew(shop.supervisor)
        self._paces: dict[str, tuple[int, Pace | None]] = {}

    async def look(self) -> None:
        """Begin what was opened, wake what somebody has joined, and end what was closed."""
        found = await asyncio.to_thread(self._read)
        await self._crew.reconcile({one.running.tournament.id: self._assignment(one) for one in found})

    async def close(self) -> None:
        """End all runs; what was not finished goes back to the ledger."""
        await self._crew.close()

    def _read(self) -> list[_Standing]:
        # While its final is played, a season plays no further.
        running = [one for one in open_ladders(self._shop.database) if one.season.final_tournament_id is None]
        return [_Standing(one, present_entrants(self._shop.database, one.tournament.id)) for one in running]

    def _assignment(self, one: _Standing) -> Assignment:
        # A run ends when too few are left; it begins again as soon as somebody comes.
        name = one.running.ladder.name
        return Assignment(f"ladder {name}", partial(self._play, one.running), (one.present, self._rate(one.running)))

    async def _play(self, running: RunningLadder) -> None:
        ledger = LadderLedger(self._shop.database)
        changes = await asyncio.to_thread(ledger.sync_ladder, running.ladder.id)
        if changes.joined or changes.withdrawn:
            self._shop.log.info(
                "ladder synchronised", ladder=running.ladder.name, joined=changes.joined, withdrawn=changes.withdrawn
            )
        try:
            await self._shop.play(running.tournament.id, Kind.LADDER, running.ladder.name, self._pace(running))
        except NotPlayableError as error:
            self._shop.log.warning("not playable", ladder=running.ladder.name, why=str(error))

    def _rate(self, running: RunningLadder) -> int:
        return pace_of(running, self._matches_per_day)

    def _pace(self, running: RunningLadder) -> Pace | None:
        """Return the pace of a ladder, which it keeps from run to run."""
        rate = self._rate(running)
        known = self._paces.get(running.ladder.id)
        if known is None or known[0] != rate:
            known = self._paces[running.ladder.id] = rate, Pace(rate, self._clock()) if rate else None
        return known[1]


def pace_of(running: RunningLadder, default: int) -> int:
    """Return how many matches a day a ladder may play; 0 for no limit."""
    rate = running.ladder.settings.get(MATCHES_PER_DAY)
    return rate if isinstance(rate, int) and rate >= 0 else default
