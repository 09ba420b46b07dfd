"""Finds the pool that a program means: by what it is, by a tournament, or because there is only one."""

from __future__ import annotations

from collections.abc import Iterator

from arena.match.time_control import format_time_control, parse_time_control
from arena.model.errors import RefusedError
from arena.model.port import ArenaPort
from arena.scripting.arguments import optional_texts, optional_wholes
from arena.scripting.boards import pool_text
from ratings.values.leaderboards import Leaderboard

_LISTED = 4
_DIGITS = 8


def choose_pool(
    port: ArenaPort, *, game: str | None, seats: int | None, clock: str | None, tournament: str | None, pool: str | None
) -> str | None:
    """Return the id of the pool that is meant, or None if nothing is rated yet.

    Raises RefusedError, which lists pools, if several are meant or none fits, and for other types; the errors of the
    interface for a pool or a tournament that is not there; TimeControlError.
    """
    optional_texts(game=game, clock=clock, tournament=tournament, pool=pool)
    optional_wholes(seats=seats)
    wishes = [wish for wish in (game, seats, clock) if wish is not None]
    if sum((tournament is not None, pool is not None, bool(wishes))) > 1:
        raise RefusedError("tournament, pool, and what a pool is (game, seats, clock) exclude each other; give one")
    if pool is not None:
        return pool
    if tournament is not None:
        return port.tournaments.get_tournament(tournament).pool.pool_id
    there = list(_boards(port))
    written = None if clock is None else format_time_control(parse_time_control(clock))
    found = [one for one in there if _fits(one, game, seats, written)]
    if not there:
        return None
    if not found:
        raise RefusedError(f"no pool fits {', '.join(map(str, wishes))}; there are: {_listed(there)}")
    if len(found) > 1:
        raise RefusedError(f"there are {len(found)} pools: {_listed(found)}; say which by game, seats, clock or pool")
    return found[0].pool.pool_id


def _boards(port: ArenaPort) -> Iterator[Leaderboard]:
    """Yield every pool in which something was rated with the best of its table, the busiest first."""
    after: str | None = None
    while True:
        page = port.leaderboards.list_leaderboards(limit=1, after=after)
        yield from page.boards
        after = page.next
        if after is None:
            return


def _fits(board: Leaderboard, game: str | None, seats: int | None, clock: str | None) -> bool:
    pool = board.pool
    return game in (None, pool.game) and seats in (None, pool.seats) and clock in (None, pool.time_control)


def _listed(boards: list[Leaderboard]) -> str:
    texts = [f"{one.pool.pool_id[:_DIGITS]} ({pool_text(one.pool)})" for one in boards[:_LISTED]]
    return "; ".join(texts + ["..."] * (len(boards) > _LISTED))
