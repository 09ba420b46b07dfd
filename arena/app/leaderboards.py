"""The leaderboards of a database."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter

from arena.app.lookup import find_game, pool_value
from arena.app.policy import AppContext
from arena.model.leaderboards import Leaderboard, LeaderboardList, LeaderboardRow
from arena.model.page import DEFAULT_LIMIT
from ratings.read import leaderboard
from ratings.read.leaderboard import PoolRow, leaderboards
from ratings.read.pools import find_pool

_LINE = attrgetter(*(field.name for field in fields(LeaderboardRow)))


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
        return LeaderboardList(tuple(map(board_value, found.items)), is_empty=not rows, next=found.next)


def _fits(row: PoolRow, game: str | None, seats: int | None, pool_id: str | None) -> bool:
    pool = row.pool
    return pool_id in (None, pool.id) and game in (None, pool.game) and seats in (None, pool.seats)


def board_value(board: leaderboard.Leaderboard) -> Leaderboard:
    """Return a table as it crosses the interface."""
    rows = tuple(LeaderboardRow(*_LINE(line)) for line in board.table)
    return Leaderboard(pool_value(board.row.pool), board.row.matches, rows, board.behind, board.next)
