"""How pools are described to people, and the options that name a pool by what is played in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared.cells import yes_or_no
from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import PoolOption
from arena.cli.shared.paging import options_given
from arena.match.time_control import format_time_control, parse_time_control
from arena.model.pool_options import special_options
from engine import registry
from engine.translatable import Text
from ratings.values.pools import Pool

if TYPE_CHECKING:  # of pools alone nothing of ladders is needed
    from arena.model.ladders import Ladder

_SHOWN_DIGITS = 12
_LISTED = 4


def short_pool_id(pool_id: str) -> str:
    """Return the first digits of a pool's id, which people are shown."""
    return pool_id[:_SHOWN_DIGITS]


def describe_pool(pool: Pool) -> str:
    """Return the pool in words: game, seats, clock, whether its bots are remote, an unusual rating method, and options.

    Of these only those are named that differ from the game's defaults.
    """
    kind = [say("cli_shared.remote_bots")] if pool.remote else []
    words = [
        (registry.get(pool.game).title if pool.game in registry.names() else pool.game),
        say("cli_shared.seats", seats=pool.seats),
        say("cli_shared.time", time=pool.time_control),
        *([say("cli_shared.cores", count=pool.cores)] if pool.cores > 1 else []),
        *kind,
        *filter(None, [pool.own_method]),
        *(f"{name}={yes_or_no(value)}" for name, value in special_options(pool).items()),
    ]
    return ", ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolChoice:
    """The options that name a pool: by its id, or by what is played in it."""

    pool: PoolOption = None
    game: Annotated[str | None, typer.Option("--game", metavar="GAME")] = None
    seats: Annotated[int | None, typer.Option("--seats", min=1, metavar="N")] = None
    time: Annotated[str | None, typer.Option("--time", metavar="TIME")] = None

    def find(self, connection: ArenaConnection) -> str | None:
        """Return the id of the only pool of that game, with so many seats and that clock, or what `--pool` says.

        Raise MisuseError, in a line that lists pools, if there is no such pool or several, or if `--pool` is given as
        well; TimeControlError for a text that is no clock.
        """
        wishes = options_given(game=self.game, seats=self.seats, time=self.time)
        if not wishes:
            return self.pool
        if self.pool is not None:
            raise MisuseError(
                Text("--pool and --game, --seats, --time exclude each other; give --pool alone, or leave it out")
            )
        clock = None if self.time is None else format_time_control(parse_time_control(self.time))
        there = list(_pools(connection))
        found = [
            one
            for one in there
            if self.game in (None, one.game) and self.seats in (None, one.seats) and clock in (None, one.time_control)
        ]
        text = " ".join(wishes)
        if not found:
            raise MisuseError(Text("no pool fits {wishes}; the pools are: {known}", wishes=text, known=_listed(there)))
        if len(found) > 1:
            raise MisuseError(
                Text(
                    "{count} pools fit {wishes}: {known}; name one with --pool",
                    count=len(found),
                    wishes=text,
                    known=_listed(found),
                )
            )
        return found[0].pool_id


def _pools(connection: ArenaConnection) -> Iterator[Pool]:
    """Yield every pool in which something was rated, the busiest first."""
    after: str | None = None
    while True:
        page = connection.arena.leaderboards.list_leaderboards(limit=1, after=after)
        yield from (board.pool for board in page.boards)
        after = page.next
        if after is None:
            return


def _listed(pools: list[Pool]) -> str:
    texts = [f"{short_pool_id(pool.pool_id)} ({describe_pool(pool)})" for pool in pools[:_LISTED]]
    return ", ".join(texts + ["..."] * (len(pools) > _LISTED)) or "-"


def print_ladder_note(ladder: Ladder) -> None:
    """Print the note of a ladder in one line, if it has one."""
    if ladder.note is not None:
        typer.echo(f"{ladder.name}: {translated(ladder.note)}")
