"""People in their seats: tables as the pages have them, beside a real service, and persons who choose by a rule."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random

from arena.model.people import PlayLimits
from arena.model.port import ArenaPort
from arena.rpc.channel import Endpoint
from arena.rpc.login import connect
from arena.web.people.game_table import GameTable, TableOrder
from arena.web.people.human_seat import HumanSeat, HumanSeatState, PendingDecision
from arena.web.people.service_client import ServiceClient
from arena.web.people.tables import GameTables
from tests.support.patience import PATIENCE_S

Choose = Callable[[HumanSeat, PendingDecision], int]

RULES = PlayLimits(most=6, idle_s=600, per_visitor=6, per_hour=1000)


def by_chance(seed: int = 1) -> Choose:
    """A person who draws."""
    random = Random(seed)
    return lambda _seat, asked: random.choice(asked.legal)


@asynccontextmanager
async def open_game_tables(
    home: Path, rules: PlayLimits = RULES, file: Path | None = None
) -> AsyncIterator[GameTables]:
    """The tables of people beside the service in that home."""

    @contextmanager
    def organiser() -> Iterator[ArenaPort]:
        with connect(f"unix:{home / 'run' / 'owners.sock'}") as arena:
            yield arena

    async with GameTables(
        rules, Endpoint(f"unix:{home / 'run' / 'seats.sock'}"), ServiceClient(organiser), file
    ) as game_tables:
        yield game_tables


def order(*sitting: str | None, game: str = "foreign_king", **changes: object) -> TableOrder:
    return TableOrder(game=game, sitting=sitting, **changes)  # type: ignore[arg-type]


async def until(table: GameTable, holds: Callable[[GameTable], bool]) -> None:
    """Wait until something is true of a table."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds(table):
            await table.wait(table.sequence, PATIENCE_S)


async def until_asked(table: GameTable) -> HumanSeat:
    """Wait until a seat is asked, or all is over, and return the one to be shown."""
    await until(table, lambda one: one.is_over or one.turn.stage is HumanSeatState.ASKED)
    return table.turn


async def play(table: GameTable, choose: Choose, most: int = 100_000) -> int:
    """Decide for all people at a table until it is over, or `most` times; return how often."""
    for count in range(most):
        seat = await until_asked(table)
        asked = seat.asked
        if asked is None:
            return count
        seat.choose(asked.ply, choose(seat, asked))
    return most
