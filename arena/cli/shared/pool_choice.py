"""Options that name a pool by what it is, so that nobody needs its id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from arena.cli.shared.connect import Connection
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.paging import options_given
from arena.cli.shared.pools import describe_pool, short_pool_id
from arena.match.time_control import format_time_control, parse_time_control
from arena.model.pools import Pool
from engine.text import Text

PoolGame = Annotated[str | None, typer.Option("--game", metavar="GAME")]
PoolSeats = Annotated[int | None, typer.Option("--seats", min=1, metavar="N")]
PoolTime = Annotated[str | None, typer.Option("--time", metavar="TIME")]
_LISTED = 4


def choose_pool(
    connection: Connection, pool: str | None, game: str | None, seats: int | None, time: str | None
) -> str | None:
    """Return the id of the only pool of that game, with so many seats and that clock; `pool` if none of them is given.

    Raise MisuseError, in a line that lists pools, if there is no such pool or several, or if `pool` is given as well;
    TimeControlError for a text that is no clock.
    """
    wishes = options_given(game=game, seats=seats, time=time)
    if not wishes:
        return pool
    if pool is not None:
        raise MisuseError(
            Text(
                "command.pool_game_seats_time_exclude",
                "--pool and --game, --seats, --time exclude each other; give --pool alone, or leave it out",
            )
        )
    clock = None if time is None else format_time_control(parse_time_control(time))
    there = list(_pools(connection))
    found = [one for one in there if _fits(one, game, seats, clock)]
    text = " ".join(wishes)
    if not found:
        raise MisuseError(
            Text(
                "command.no_pool_fits_pools",
                "no pool fits {wishes}; the pools are: {known}",
                wishes=text,
                known=_listed(there),
            )
        )
    if len(found) > 1:
        raise MisuseError(
            Text(
                "command.pools_fit_name_one_pool",
                "{count} pools fit {wishes}: {known}; name one with --pool",
                count=len(found),
                wishes=text,
                known=_listed(found),
            )
        )
    return found[0].pool_id


def _pools(connection: Connection) -> Iterator[Pool]:
    """Yield every pool in which something was rated, the busiest first."""
    after: str | None = None
    while True:
        page = connection.arena.leaderboards.list_leaderboards(limit=1, after=after)
        yield from (board.pool for board in page.boards)
        after = page.next
        if after is None:
            return


def _fits(pool: Pool, game: str | None, seats: int | None, clock: str | None) -> bool:
    return game in (None, pool.game) and seats in (None, pool.seats) and clock in (None, pool.time_control)


def _listed(pools: list[Pool]) -> str:
    """Return the first of the pools by their ids and what they are, in one line."""
    texts = [f"{short_pool_id(pool.pool_id)} ({describe_pool(pool)})" for pool in pools[:_LISTED]]
    return ", ".join(texts + ["..."] * (len(pools) > _LISTED)) or "-"
