"""Locks that a server holds for a process, on a connection of their own: they end with it, however its process dies."""

from __future__ import annotations

import os
import platform
import time
import zlib
from contextlib import suppress
from functools import partial

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from ratings.store.database import Database
from ratings.store.dialects import translated
from ratings.values.tournament_incidents import LockHolder

_SPACE = 0x4B4D42
"""The first of the two numbers of each lock; the second follows from its name."""
_LONGEST_HOST = 40
_TRY = text("SELECT pg_try_advisory_lock(:space, :number)")
_FREE = text("SELECT pg_advisory_unlock(:space, :number)")
_PAUSES_S = (0.0, 0.02, 0.1, 0.4)
"""Before each try: the server notices a little later that a process is gone."""
_END = text(
    "SELECT pg_terminate_backend(a.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " JOIN pg_database d ON d.oid = l.database WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2"
    " AND l.classid::bigint = :space AND l.objid::bigint = :number AND d.datname = current_database()"
    " AND a.pid = :before AND a.application_name = :name"
)
_HOLDERS = text(
    "SELECT l.objid::bigint, a.application_name, (extract(epoch FROM a.backend_start) * 1000000)::bigint"
    " FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid JOIN pg_database d ON d.oid = l.database"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid::bigint = :space"
    " AND d.datname = current_database()"
)


class ServerLock:
    """A lock of a name, to be taken, looked after and freed."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._number = _number_of(name)
        self._connection: Connection | None = None
        self._backend = 0
        """The server's process that has, or had, the lock for us."""

    def take(self) -> bool:
        """Take the lock, or return False at once if another has it. Raises DatabaseLostError."""
        with translated(self._database.url):
            connection = self._database.engine.execution_options(isolation_level="AUTOCOMMIT").connect()
            try:
                connection.detach()  # it belongs to nobody else, and is closed and not given back
                name = _introduce(connection)
                self._end_before(connection, name)
                taken = any(map(partial(self._tries, connection), _PAUSES_S))
                if taken:
                    self._backend = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            except BaseException:
                connection.close()
                raise
        if not taken:
            connection.close()
            return False
        self._connection = connection
        return True

    def _end_before(self, connection: Connection, name: str) -> None:
        """End the server's side of our connection before, of whose end it may know nothing yet: it holds the lock."""
        if self._backend:
            which = {"space": _SPACE, "number": self._number, "before": self._backend, "name": name}
            connection.execute(_END, which)

    def _tries(self, connection: Connection, pause_s: float) -> bool:
        time.sleep(pause_s)
        return bool(connection.execute(_TRY, {"space": _SPACE, "number": self._number}).scalar_one())

    def keep(self) -> bool:
        """Take the lock again if the server lost it; return False if another has it now. Raises DatabaseLostError."""
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.exec_driver_sql("SELECT 1")
                return True
            self.free()
        return self.take()

    def free(self) -> None:
        """Give the lock back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):  # by a word, as the end of a connection is noticed a little later
                connection.execute(_FREE, {"space": _SPACE, "number": self._number})
                self._backend = 0
            with suppress(SQLAlchemyError):
                connection.close()

    def holder(self) -> LockHolder | None:
        """Return who has the lock."""
        return holders(self._database).get(self._number)


def holder_of(database: Database, name: str) -> LockHolder | None:
    """Return who has the lock of a name, or `None` if nobody has."""
    return holders(database).get(_number_of(name))


def holders(database: Database) -> dict[int, LockHolder]:
    """Return who holds which lock, by its number."""
    with translated(database.url), database.engine.connect() as connection:
        rows = connection.execute(_HOLDERS, {"space": _SPACE}).all()
        return {int(number): _holder(name, since_us) for number, name, since_us in rows}


def _holder(name: str | None, since_us: int | None) -> LockHolder:
    host, _, pid = (name or "").rpartition(":")
    return LockHolder(host, int(pid) if pid.isdecimal() else None, since_us or 0)


def _number_of(name: str) -> int:
    return zlib.crc32(name.encode()) & 0x7FFFFFFF


def _introduce(connection: Connection) -> str:
    """Say who we are, and return it."""
    name = f"{platform.node()[:_LONGEST_HOST]}:{os.getpid()}"
    connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": name})
    return name
