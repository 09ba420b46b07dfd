"""Databases for tests: made quickly, as they are, of a later schema, and of both kinds one after the other."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from sqlalchemy import Connection, Engine, MetaData, create_engine, select
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.pool import ConnectionPoolEntry

from ratings.store import database, postgresql, schema, sqlite
from ratings.store.database import open_database
from ratings.store.dialects import dialect_of
from tests.support import postgres
from tests.support.needs import BARE

_MOST = 10_000
_KINDS = (SQLiteDialect_pysqlite, PGDialect_psycopg)
_first: dict[type, Engine] = {}


def _make(*arguments: Any, **options: Any) -> Engine:
    engine = create_engine(*arguments, query_cache_size=_MOST, **options)
    engine._compiled_cache = _first.setdefault(type(engine.dialect), engine)._compiled_cache
    return engine


@contextmanager
def same_statements() -> Iterator[None]:
    """While this is open, engines that are made in this process share what they compile with those of their kind.

    Their dialects count as equal, because they are part of what a compiled statement is found by.
    """
    with ExitStack() as stack:
        for kind in _KINDS:
            stack.enter_context(mock.patch.object(kind, "__hash__", partial(hash, kind)))
            stack.enter_context(mock.patch.object(kind, "__eq__", lambda one, other: type(one) is type(other)))
        for module in (sqlite, postgresql):
            stack.enter_context(mock.patch.object(module, "create_engine", _make))
        yield


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


def make_empty(path: Path) -> None:
    """Have an empty database at a path, if that needs to be made."""
    if os.environ.get(postgres.PREFIX):
        postgres.make_empty(path)


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


REVISION = "9000"
_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{revision}", "{before}"


def upgrade() -> None:
    op.add_column("version", sa.Column("label", sa.String(), server_default=sa.text("''"), nullable=False))
    op.execute("UPDATE version SET label = 'version ' || number")
    with op.batch_alter_table("wave", recreate="auto") as wave:
        wave.alter_column("planned_at_us", new_column_name="made_at_us")
    op.create_index("ix_version_label", "version", ["label"])
    {last}
"""


@contextmanager
def second_schema(directory: Path, *, last: str = "pass") -> Iterator[None]:
    """Give the program one more schema while this is open; its migration ends with the statement `last`."""
    migrations = directory / "migrations"
    shutil.copytree(schema.MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    code = _MIGRATION.format(revision=REVISION, before=schema.HEAD, last=last)
    (migrations / "versions" / f"{REVISION}_labels.py").write_text(code, encoding="utf-8")
    with (
        mock.patch.object(schema, "MIGRATIONS", migrations),
        mock.patch.object(schema, "REVISIONS", (*schema.REVISIONS, REVISION)),
        mock.patch.object(schema, "HEAD", REVISION),
    ):
        yield


SQLITE, POSTGRESQL = "sqlite", "postgresql"
MARK = "both_databases"
_numbers = itertools.count()


def both_databases(metafunc: pytest.Metafunc) -> None:
    """Have a test that is marked so run on each kind of database that is there."""
    is_marked = metafunc.definition.get_closest_marker(MARK) is not None
    is_bare = metafunc.config.option.markexpr == BARE
    if is_marked and not is_bare and not postgres.why_not():
        metafunc.parametrize("kind_of_database", [SQLITE, POSTGRESQL], indirect=True, scope="session")


@pytest.fixture(scope="session")
def kind_of_database(request: pytest.FixtureRequest) -> str:
    """Which kind of database the tests of this part of the session run on."""
    kind: str = getattr(request, "param", SQLITE)
    return kind


@contextmanager
def databases_of(kind: str) -> Iterator[None]:
    """Have paths of files stand for databases of that kind; what whole sessions share is made in this."""
    if kind == SQLITE:
        yield
        return
    with postgres.in_place_of_files(f"kma{os.getpid()}"):
        yield


@pytest.fixture(scope="module", autouse=True)
def files_of_module(kind_of_database: str) -> Iterator[None]:
    """Have paths stand for databases of that kind while the tests of a module run, and no longer."""
    with databases_of(kind_of_database):
        yield


@pytest.fixture(autouse=True)
def files_of_test(kind_of_database: str, files_of_module: None) -> Iterator[None]:
    """Take back what a test used on the server when it ends."""
    if kind_of_database == SQLITE:
        yield
        return
    with postgres.lent_for(f"kma{os.getpid()}x{next(_numbers)}"):
        yield
