"""Has whoever has a database open notice that its file was taken away, or replaced by another one.

SQLite goes on with the file that it has opened, whatever lies at its path meanwhile: pages that show a database for
days would show one that was long deleted, and a run would record for hours what nobody finds afterwards.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from engine.text import Text
from ratings.errors import DatabaseAccessError, DatabaseGoneError

_FILE = "file"


def follow_file(engine: Engine, path: Path, revision: str) -> None:
    """Have every new connection of an engine read what lies at the path then, if it has that revision of the schema.

    Otherwise, and while there is nothing, connecting raises DatabaseAccessError.
    """
    first = identity_of(path)

    def need_file(*_: Any) -> None:
        if identity_of(path) is None:
            raise DatabaseAccessError(
                Text(
                    "ratings.not_any_more_put_database",
                    "{path} is not there any more; put a database there, and go on",
                    path=path,
                )
            )

    def note_file(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        entry.info[_FILE] = identity_of(path)
        if entry.info[_FILE] != first and _revision(connection) != revision:
            raise DatabaseAccessError(
                Text(
                    "ratings.replaced_something_cannot_read_start",
                    "{path} was replaced by something that cannot be read; start this again",
                    path=path,
                )
            )

    def compare_file(_: sqlite3.Connection, entry: ConnectionPoolEntry, _proxy: Any) -> None:
        if entry.info.get(_FILE) != identity_of(path):
            raise DisconnectionError  # the pool connects again

    event.listen(engine, "do_connect", need_file)
    event.listen(engine, "connect", note_file)
    event.listen(engine, "checkout", compare_file)


class KeptFile:
    """The file of a database that is written to: nothing begins, and nothing is committed, once it is another one.

    Connections that are open stay so: they hold all that is left of a file that was removed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first: tuple[int, int] | None = None

    def keep(self, engine: Engine) -> None:
        """Have beginning and connecting look first, once the file is noted."""
        event.listen(engine, "do_connect", self.check)
        event.listen(engine, "begin", self.check, insert=True)  # before the database is told to begin

    def note(self) -> None:
        """Take the file that lies at the path now for the one that is to stay there."""
        self._first = identity_of(self._path)

    def check(self, *_: Any) -> None:
        """Raise DatabaseGoneError if it is not there any more, or another one is."""
        now = identity_of(self._path)
        if self._first is None or now == self._first:
            return
        if now is None:
            raise DatabaseGoneError(
                Text(
                    "ratings.taken_away_while_use_nothing",
                    "{path} was taken away while it was in use; nothing is recorded there any more",
                    path=self._path,
                )
            )
        raise DatabaseGoneError(
            Text(
                "ratings.replaced_another_file_while_use",
                "{path} was replaced by another file while it was in use; nothing is recorded there any more",
                path=self._path,
            )
        )


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
