"""Freezes the seasons of ladders when that was announced, and sees that each frozen one gets its final."""

from __future__ import annotations

import asyncio

from arena.service.activities.context import ServiceContext
from arena.tournament import seasons
from arena.tournament.formats.errors import ScheduleError
from ratings.errors import RatingsError
from ratings.read.ladders import open_ladders
from ratings.store.identifiers import now_us
from ratings.store.ladders import RunningLadder


class SeasonRunner:
    """Does at its time what the organiser announced; the finals are played like any tournament."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._refused: set[str] = set()

    async def look(self) -> None:
        """Freeze the seasons whose time has come."""
        await asyncio.to_thread(self._freeze_due)

    async def close(self) -> None:
        """Forget what was refused: what was begun is in the database."""
        self._refused.clear()

    def _freeze_due(self) -> None:
        for running in open_ladders(self._context.database):
            if self._is_due(running):
                self._freeze(running)

    def _is_due(self, running: RunningLadder) -> bool:
        # A kill may have come between the freeze and the final, so an announced final that is missing is due, too.
        season = running.season
        is_announced = season.freezes_at_us is not None and season.freezes_at_us <= now_us()
        return is_announced and season.final_tournament_id is None and running.tournament.id not in self._refused

    def _freeze(self, running: RunningLadder) -> None:
        name = running.ladder.name
        try:
            final = seasons.freeze(self._context.database, name)
        except (RatingsError, ScheduleError) as error:
            self._refused.add(running.tournament.id)
            self._context.log.error("season cannot be frozen", ladder=name, why=str(error))
            return
        if final is None:
            self._refused.add(running.tournament.id)
        self._context.log.info("season frozen", ladder=name, final=None if final is None else final.name)
