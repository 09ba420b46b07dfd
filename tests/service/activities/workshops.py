"""A workshop over a real database, whose matches a scripted executor answers at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def locked_elsewhere(book: Book, tournament_id: str) -> Iterator[None]:
    """Another run of the tournament has its lock."""
    from arena.tournament.lock import exclusive, lock_path

    with exclusive(lock_path(book.path.resolve(), tournament_id)):
        yield
