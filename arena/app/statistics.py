"""What is counted over the matches of a database; only whole blocks count, so nothing tells the future."""

from __future__ import annotations

from arena.app.lookup import find_pool_id, find_version, shown_scope
from arena.app.policy import AppContext
from arena.model.errors import RefusedError
from engine.text import Text
from ratings.read import statistics as counts
from ratings.read.paging import part_of
from ratings.read.statistics import lengths
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.statistics import (
    MOST_IN_CROSSTABLE,
    Crosstable,
    Meeting,
    RatingChange,
    SeatResult,
    Spread,
)

MOST_BOTS = 50


class LocalStatistics:
    """Implements the interface `arena.model.port.Statistics`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def get_crosstable(
        self, tournament: str | None = None, pool: str | None = None, limit: int = MOST_BOTS
    ) -> Crosstable:
        if limit > MOST_IN_CROSSTABLE:
            raise RefusedError(
                Text(
                    "app.crosstable_bots_too_many_pairs",
                    "a crosstable of {count} bots has too many pairs; ask for {most} or fewer",
                    count=limit,
                    most=MOST_IN_CROSSTABLE,
                )
            )
        scope = shown_scope(self._context, tournament, pool)
        return counts.crosstable(self._context.database, scope, limit)

    def list_history(
        self, bot: str, pool: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[RatingChange]:
        pool_id, found = find_pool_id(self._context, pool), find_version(self._context, bot)
        from ratings.read.statistics import history  # with what pages show of versions, which nothing else here needs

        return history(self._context.database, pool_id=pool_id, version_id=found.version.id, limit=limit, after=after)

    def list_opponents(
        self,
        bot: str,
        tournament: str | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> Page[Meeting]:
        scope, found = shown_scope(self._context, tournament, pool), find_version(self._context, bot)
        meetings = counts.by_opponent(self._context.database, scope, found.version.id)
        return part_of(meetings, "opponents", limit, after)

    def list_seats(
        self, bot: str | None = None, tournament: str | None = None, pool: str | None = None
    ) -> tuple[SeatResult, ...]:
        scope = shown_scope(self._context, tournament, pool)
        version_id = None if bot is None else find_version(self._context, bot).version.id
        return counts.by_seat(self._context.database, scope, version_id)

    def list_lengths(self, tournament: str | None = None, pool: str | None = None) -> tuple[Spread, ...]:
        return lengths(self._context.database, shown_scope(self._context, tournament, pool))
