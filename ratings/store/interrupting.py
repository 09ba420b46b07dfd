"""Ends what a database is doing for another thread, which no exception reaches while a statement runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from ratings.store.database import Database
from ratings.store.dialects import dialect_of


@contextmanager
def interruptible(database: Database) -> Iterator[Callable[[], None]]:
    """Give a function that has every statement fail that runs just then on a connection taken in the block.

    Their transactions are undone. A statement that begins later runs; who wants it to end, too, calls again.
    """
    used: set[Any] = set()

    def take(driver: Any, *_: object) -> None:
        used.add(driver)

    def give_back(driver: Any, *_: object) -> None:
        used.discard(driver)

    def interrupt() -> None:
        for driver in tuple(used):
            dialect_of(database.url).interrupt(driver)

    pool = database.engine.pool
    event.listen(pool, "checkout", take)
    event.listen(pool, "checkin", give_back)
    try:
        yield interrupt
    finally:
        event.remove(pool, "checkout", take)
        event.remove(pool, "checkin", give_back)
