"""What is counted over the matches of a database; only whole blocks count, so nothing tells the future."""

from __future__ import annotations

from dataclasses import asdict

from arena.app.lookup import find_pool_id, find_version, shown_scope
from arena.app.policy import AppContext
from arena.model.errors import RefusedError
from arena.model.page import DEFAULT_LIMIT, Page
from arena.model.statistics import (
    MOST_IN_CROSSTABLE,
    Counted,
    Crosstable,
    Meeting,
    RatingChange,
    SeatResult,
    Spread,
)
from engine.text import Text
from ratings.read import crosstable as counts
from ratings.read import leaderboard
from ratings.read.lengths import lengths
from ratings.read.paging import part_of
from ratings.store import rating as stored

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
        found = counts.crosstable(self._context.database, scope, limit)
        names = found.names
        return Crosstable(
            tuple(Counted(version, names[version]) for version in found.versions),
            tuple(_meeting(one, names) for one in found.meetings),
        )

    def list_history(
        self, bot: str, pool: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[RatingChange]:
        pool_id, found = find_pool_id(self._context, pool), find_version(self._context, bot)
        version_id = found.version.id
        page = leaderboard.history(
            self._context.database, pool_id=pool_id, version_id=version_id, limit=limit, after=after
        )
        return Page(tuple(map(_change, page.items)), page.next)

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
        page = part_of(meetings, "opponents", limit, after)
        names = counts.names(self._context.database, [meeting.opponent_id for meeting in meetings])
        names[found.version.id] = found.bot.name
        return Page(tuple(_meeting(one, names) for one in page.items), page.next)

    def list_seats(
        self, bot: str | None = None, tournament: str | None = None, pool: str | None = None
    ) -> tuple[SeatResult, ...]:
        scope = shown_scope(self._context, tournament, pool)
        version_id = None if bot is None else find_version(self._context, bot).version.id
        return tuple(SeatResult(**asdict(row)) for row in counts.by_seat(self._context.database, scope, version_id))

    def list_lengths(self, tournament: str | None = None, pool: str | None = None) -> tuple[Spread, ...]:
        scope = shown_scope(self._context, tournament, pool)
        return tuple(Spread(**asdict(row)) for row in lengths(self._context.database, scope))


def _meeting(one: counts.Meeting, names: dict[str, str]) -> Meeting:
    return Meeting(
        bot=names[one.version_id],
        opponent=names[one.opponent_id],
        version_id=one.version_id,
        opponent_id=one.opponent_id,
        matches=one.matches,
        points=one.points,
        score=one.score,
        wins=one.wins,
        ties=one.ties,
        losses=one.matches - one.wins - one.ties,
    )


def _change(change: stored.RatingChange) -> RatingChange:
    return RatingChange(
        match_id=change.match_id,
        seat=change.seat,
        pool_id=change.pool_id,
        version_id=change.version_id,
        rating_seq=change.rating_seq,
        mu_before=change.mu_before,
        sigma_before=change.sigma_before,
        mu_after=change.mu_after,
        sigma_after=change.sigma_after,
        exposure=change.mu_after - 3 * change.sigma_after,
    )
