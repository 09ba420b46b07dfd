"""Opens an SQLite database that can only be looked at: its file, its directory or its disk takes nothing more.

To read a database in WAL mode, SQLite writes: an index of what is in the log, into a file beside it. Where that cannot
be made, the file is read as it is if there is no log, and otherwise with an index in memory, alone.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, event
from sqlalchemy.pool import ConnectionPoolEntry

_HINDERED = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM}
)
_LEAST_ROOM = 64 * 1024
"""Bytes; with fewer left on a disk, what fails there fails for want of them."""


class LookingConnection(sqlite3.Connection):
    """A connection that only reads, and why nothing can be written."""

    why: sqlite3.Error


def look_where_nothing_can_be_written(engine: Engine, path: Path) -> None:
    """Have an engine read a file that is there also where SQLite cannot write what it needs for that.

    Transactions that are to write raise the error that stood in the way. Each such connection is given up as soon as
    it was used, as things may be better by then.
    """

    def connect(_dialect: Any, _record: Any, words: list[Any], options: dict[str, Any]) -> sqlite3.Connection:
        connection: sqlite3.Connection = sqlite3.connect(*words, **options)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF not in _HINDERED or not path.is_file():
                raise
            return _look(path, options, error)
        return connection

    def give_up(_: Any, record: ConnectionPoolEntry) -> None:
        if isinstance(record.driver_connection, LookingConnection):
            record.invalidate()

    event.listen(engine, "do_connect", connect)
    event.listen(engine, "checkin", give_up)


def need_writable(connection: Connection) -> None:
    """Raise what stands in the way of writing over a connection, if anything does."""
    driver = connection.connection.driver_connection
    if isinstance(driver, LookingConnection):
        raise driver.why


def has_room(path: Path, needed: int = _LEAST_ROOM) -> bool:
    """Return whether so many bytes are free on the disk on which a file lies or would lie."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= needed


def _look(path: Path, options: dict[str, Any], why: sqlite3.OperationalError) -> sqlite3.Connection:
    log = path.with_name(f"{path.name}-wal")
    has_log = log.is_file() and log.stat().st_size > 0
    rules = "mode=rw" if has_log else "mode=ro&immutable=1"
    place = f"file:{quote(str(path.absolute()))}?{rules}"
    connection: LookingConnection = sqlite3.connect(place, **{**options, "uri": True, "factory": LookingConnection})
    try:
        if has_log:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise why from None
    connection.why = why
    return connection
