"""The context of activities over a real database, whose matches a scripted executor answers at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from arena.service.activities.activity_set import Activity, SchedulerLoop
from arena.service.activities.context import ServiceContext
from arena.service.logs import get_logger
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import Slots
from arena.service.task_supervision import Health, Supervisor, WakeUp
from tests.tournament.book import Book
from tests.tournament.scripted_executor import ScriptedExecutor


def service_context(book: Book, executor: ScriptedExecutor, health: Health | None = None) -> ServiceContext:
    """What activities work with, in the event loop that runs."""
    slots = Slots(executor.slots(), dict.fromkeys(MatchPurpose, 1.0))
    slots.use(executor)
    log = get_logger("test")
    return ServiceContext(book.database, book.programs, slots, Supervisor(health or Health(), log), WakeUp(), log, 0.0)


@asynccontextmanager
async def at_work(context: ServiceContext, *activities: Activity, every_s: float = 0.05) -> AsyncIterator[None]:
    """While this is open, these activities look for work; afterwards everything that they began is ended."""
    loop = asyncio.create_task(SchedulerLoop(context, activities, every_s=every_s).run())
    try:
        yield
    finally:
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)


@contextmanager
def locked_elsewhere(book: Book, tournament_id: str) -> Iterator[None]:
    """Another run of the tournament has its lock."""
    from arena.tournament.locks import exclusive, lock_path

    with exclusive(lock_path(book.path.resolve(), tournament_id)):
        yield
