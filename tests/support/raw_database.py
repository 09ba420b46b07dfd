"""Databases as they are, whatever schema they have: opened at a path without being looked at, or made empty there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, MetaData, select

from ratings.store import database
from ratings.store.dialects import dialect_of
from tests.support import postgres_files


def make_empty(path: Path) -> None:
    """Have an empty database at a path, if that needs to be made."""
    if os.environ.get(postgres_files.PREFIX):
        postgres_files.make_empty(path)


@contextmanager
def raw(path: Path) -> Iterator[Connection]:
    """A connection to the database at a path, in a transaction."""
    url = database.database_url(path)
    engine = dialect_of(url).make_engine(url)
    try:
        with engine.connect() as connection, connection.begin():
            yield connection
    finally:
        engine.dispose()


def whole(path: Path) -> object:
    """All that a database holds, whatever tables it has."""
    with raw(path) as connection:
        tables = MetaData()
        tables.reflect(connection)
        return {table.name: sorted(map(repr, connection.execute(select(table)))) for table in tables.sorted_tables}
