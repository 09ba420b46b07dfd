"""Databases that are made and written to quickly.

What the migrations make is written down once in a process, and repeated. No test cuts the power, so none waits for a
disk.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

from sqlalchemy import Engine
from sqlalchemy.pool import ConnectionPoolEntry

from ratings.store import schema, sqlite
from ratings.store.database import open_database
from ratings.store.dialects import dialect_of
from tests.support.same_statements import same_statements

_migrate = schema._migrate
_set_pragmas = sqlite._set_pragmas


@cache
def statements() -> tuple[str, ...]:
    """What the migrations make of an empty file, as the statements that make the same."""
    with tempfile.TemporaryDirectory() as directory, mock.patch.object(schema, "_migrate", _migrate):
        path = Path(directory, "template.db")
        open_database(path).close()
        with closing(sqlite3.connect(path)) as connection:
            return tuple(line for line in connection.iterdump() if line not in ("BEGIN TRANSACTION;", "COMMIT;"))


def _repeat(engine: Engine) -> None:
    if engine.dialect.name != "sqlite" or schema.revision(engine) is not None:
        _migrate(engine)
        return
    lines = statements()
    writing = dialect_of(engine.url).WRITING
    with engine.connect().execution_options(**writing) as connection, connection.begin():
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0:  # nobody was faster
            for line in lines:
                connection.exec_driver_sql(line)


def _set_pragmas_and_hurry(
    pragmas: Mapping[str, int], connection: sqlite3.Connection, entry: ConnectionPoolEntry
) -> None:
    _set_pragmas(pragmas, connection, entry)
    connection.execute("PRAGMA synchronous=OFF")


@contextmanager
def repeated_migrations() -> Iterator[None]:
    """While this is open, a fresh database in this process takes milliseconds; an old one is migrated as ever."""
    with (
        mock.patch.object(schema, "_migrate", _repeat),
        mock.patch.object(sqlite, "_set_pragmas", _set_pragmas_and_hurry),
        same_statements(),
    ):
        yield
