"""Who plays a tournament now: a command or a service that lives, and not one that left its leases behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from arena.tournament.errors import AlreadyRunningError
from arena.tournament.lock import exclusive, holder_of, home_lock, lock_path
from engine.text import Text
from ratings.store import server_lock
from ratings.store.database import Database
from ratings.store.server_lock import ServerLock
from ratings.values.tournaments import LockHolder

SERVICE = "service"
"""The name of the lock of a server that the service has which looks after what must not be done twice."""
REMOTE = "remote"
"""The name of the lock that the service has which takes remote bots and people, and plays everything with them."""
Keep: TypeAlias = Callable[[], None]
"""Looks after a lock that a server may lose: takes it again, or raises AlreadyRunningError if another has it now."""


@contextmanager
def hold(database: Database, tournament_id: str) -> Iterator[Keep]:
    """Have a tournament played by nobody else during the block, on this machine or on another.

    Raises AlreadyRunningError at once if somebody plays it; DatabaseLostError.
    """
    if database.is_on_server:
        with _held_by_server(ServerLock(database, tournament_id)) as keep:
            yield keep
    elif database.path is None:  # in memory, where nobody else can be
        yield _nothing
    else:
        with exclusive(lock_path(database.path.resolve(), tournament_id)):
            yield _nothing


@contextmanager
def _held_by_server(lock: ServerLock) -> Iterator[Keep]:
    def keep() -> None:
        if not lock.keep():
            raise AlreadyRunningError(_who_plays(lock.holder()))

    keep()
    try:
        yield keep
    finally:
        lock.free()


def _nothing() -> None:
    """Keep what cannot be lost."""


def _who_plays(holder: LockHolder | None) -> str:
    pid = "another" if holder is None or holder.pid is None else str(holder.pid)
    host = "another machine" if holder is None or not holder.host else holder.host
    return Text(
        "tournaments.process_playing_tournament_now_wait_end",
        "process {pid} on {host} is playing this tournament now; wait for its end, or stop it and resume",
        pid=pid,
        host=host,
    )


def player_of(database: Database, tournament_id: str) -> LockHolder | None:
    """Return who plays a tournament that is not over, or `None` if nobody does: no dead process holds a lock."""
    if database.is_on_server:
        return server_lock.holder_of(database, tournament_id)
    return None if database.path is None else holder_of(lock_path(database.path.resolve(), tournament_id))


def service_of(database: Database, *, remote: bool = False) -> LockHolder | None:
    """Return the service that runs on the home in which a database lies: it plays all that is not over, in its time.

    Of the services that share one on a server it is the one that looks after the ladders, or with `remote` the one that
    takes remote bots and people.
    """
    if database.is_on_server:
        return server_lock.holder_of(database, REMOTE if remote else SERVICE)
    return None if database.path is None else holder_of(home_lock(database.path.resolve()))


def players_beside(database: Database) -> frozenset[LockHolder]:
    """Return who plays what lies in a database, be it one tournament or all; costs nearly nothing."""
    if database.is_on_server:
        return frozenset(server_lock.holders(database).values())
    if database.path is None:
        return frozenset()
    path = database.path.resolve()
    locks = [*path.parent.glob(f"{path.name}-*.lock"), home_lock(path)]
    return frozenset(found for lock in locks if (found := holder_of(lock)) is not None)
