"""The leaderboards of a database."""

from __future__ import annotations

from arena.app.lookup import find_game
from arena.app.policy import AppContext
from ratings.read import leaderboard
from ratings.read.leaderboard import RatedPool, leaderboards
from ratings.read.pools import find_pool
from ratings.values.leaderboards import LeaderboardList
from ratings.values.page import DEFAULT_LIMIT


class LocalLeaderboards:
    """Implements the interface `arena.model.port.Leaderboards`.

    Only whole blocks are rated, so a table never tells the future.
    """

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def list_leaderboards(
        self,
        game: str | None = None,
        seats: int | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
    ) -> LeaderboardList:
        rows = leaderboard.pools(self._context.database)
        if game is not None and game not in {row.pool.game for row in rows}:
            find_game(game)  # raises if there is no such game; otherwise nothing of it was rated
        only = None if pool is None else find_pool(self._context.database, pool).id
        chosen = [row for row in rows if _fits(row, game, seats, only)]
        found = leaderboards(self._context.database, chosen, limit=limit, after=after)
        return LeaderboardList(found.items, is_empty=not rows, next=found.next)


def _fits(row: RatedPool, game: str | None, seats: int | None, pool_id: str | None) -> bool:
    pool = row.pool
    return pool_id in (None, pool.pool_id) and game in (None, pool.game) and seats in (None, pool.seats)
