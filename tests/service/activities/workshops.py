"""A workshop over a real database, whose matches a scripted executor answers at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from arena.service.activities.foreman import Activity, Foreman
from arena.service.activities.workshop import Workshop
from arena.service.bell import Bell
from arena.service.health import Health
from arena.service.logs import get_logger
from arena.service.scheduler.jobs import Kind
from arena.service.scheduler.slots import Slots
from arena.service.supervision import Supervisor
from tests.tournament.book import Book
from tests.tournament.scripted_executor import ScriptedExecutor


def workshop(book: Book, executor: ScriptedExecutor, health: Health | None = None) -> Workshop:
    """What activities work with, in the event loop that runs."""
    slots = Slots(executor.slots(), dict.fromkeys(Kind, 1.0))
    slots.use(executor)
    log = get_logger("test")
    return Workshop(book.database, book.programs, slots, Supervisor(health or Health(), log), Bell(), log, 0.0)


@asynccontextmanager
async def at_work(shop: Workshop, *activities: Activity, every_s: float = 0.05) -> AsyncIterator[None]:
    """While this is open, these activities look for work; afterwards everything that they began is ended."""
    foreman = asyncio.create_task(Foreman(shop, activities, every_s=every_s).run())
    try:
        yield
    finally:
        foreman.cancel()
        await asyncio.gather(foreman, return_exceptions=True)


@contextmanager
def locked_elsewhere(book: Book, tournament_id: str) -> Iterator[None]:
    """Another run of the tournament has its lock."""
    from arena.tournament.lock import exclusive, lock_path

    with exclusive(lock_path(book.path.resolve(), tournament_id)):
        yield
