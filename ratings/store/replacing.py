"""Has readers notice that the file of a database was taken away, or replaced by another one, while they have it open.

SQLite goes on with the file that it has opened, whatever lies at its path meanwhile: pages that show a database for
days would show one that was long deleted.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from ratings.errors import DatabaseAccessError

_FILE = "file"


def follow_file(engine: Engine, path: Path, revision: str) -> None:
    """Have every new connection of an engine read what lies at the path then, if it has that revision of the schema.

    Otherwise, and while there is nothing, connecting raises DatabaseAccessError.
    """
    first = identity_of(path)

    def need_file(*_: Any) -> None:
        if identity_of(path) is None:
            raise DatabaseAccessError(f"{path} is not there any more; put a database there, and go on")

    def note_file(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        entry.info[_FILE] = identity_of(path)
        if entry.info[_FILE] != first and _revision(connection) != revision:
            raise DatabaseAccessError(f"{path} was replaced by something that cannot be read; start this again")

    def compare_file(_: sqlite3.Connection, entry: ConnectionPoolEntry, _proxy: Any) -> None:
        if entry.info.get(_FILE) != identity_of(path):
            raise DisconnectionError  # the pool connects again

    event.listen(engine, "do_connect", need_file)
    event.listen(engine, "connect", note_file)
    event.listen(engine, "checkout", compare_file)


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one at the same path, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _revision(connection: sqlite3.Connection) -> str:
    try:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error:
        return ""
    return "" if found is None else str(found[0])
