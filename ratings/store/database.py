"""The one door to the database: open it, read, write, upgrade, back up.

    with write(database) as session: ...   # one transaction, committed at the end, undone by any exception
    with read(database) as session: ...    # one consistent view, never committed

Only `ratings` opens these sessions: others hold a `Database`, write through `ratings.ledger.ledger.Ledger` and read
through the functions of `ratings.read`. Errors of the driver come out as `ratings.errors`, on one line with the remedy.
Objects read stay usable afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import sqlalchemy
import sqlalchemy.exc
from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlmodel import Session

from ratings.errors import DatabaseAccessError
from ratings.store import schema
from ratings.store.dialects import dialect_of, translated
from ratings.store.schema import SchemaChange

__all__ = [
    "Database",
    "Engine",
    "Session",
    "Source",
    "backup",
    "database_url",
    "is_there",
    "open_database",
    "read",
    "translated",
    "upgrade",
    "write",
]


class Database:
    """An open database. Whoever opened it closes it."""

    def __init__(self, engine: sqlalchemy.Engine) -> None:
        self.engine = engine
        """For this package only."""

    @property
    def url(self) -> URL:
        """Return where the database lies."""
        return self.engine.url

    @property
    def path(self) -> Path | None:
        """Return the file of an SQLite database, or `None` for one in memory or on a server."""
        name = self.url.database
        is_file = self.url.get_backend_name() == "sqlite" and name not in (None, "", ":memory:")
        return Path(str(name)) if is_file else None

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    dispose = close


Engine = Database
"""The old name of what callers pass around."""

Source: TypeAlias = Database | Session
"""What is read from: a database, or the session of a transaction that is open."""


def open_database(url_or_path: str | Path) -> Database:
    """Open the database at a path, or of a URL such as `postgresql+psycopg://host/name`.

    A fresh or empty one is migrated. Raises SchemaVersionError, NotADatabaseError, DatabaseAccessError.
    """
    engine = _make_engine(url_or_path)
    try:
        with translated(engine.url):
            schema.ensure(engine)
    except sqlalchemy.exc.OperationalError as error:
        engine.dispose()
        raise DatabaseAccessError(f"{engine.url!r} cannot be opened: {str(error.orig).splitlines()[0]}") from error
    except BaseException:
        engine.dispose()
        raise
    return Database(engine)


def upgrade(url_or_path: str | Path) -> SchemaChange:
    """Bring the database to this program's schema, in one transaction. Raises like `open_database`."""
    engine = _make_engine(url_or_path)
    try:
        with translated(engine.url):
            return schema.upgrade(engine)
    finally:
        engine.dispose()


def backup(database: Database, target: Path) -> None:
    """Copy the database into the new file `target`, while others go on writing. Raises BackupError."""
    with translated(database.url):
        dialect_of(database.url).backup(database.engine, target)


def is_there(url_or_path: str | Path) -> bool:
    """Return whether the database exists, without making it; one on a server counts as existing until it is opened.

    Raises DatabaseAccessError if no database could lie there.
    """
    url = database_url(url_or_path)
    return dialect_of(url).is_there(url)


def _make_engine(url_or_path: str | Path) -> sqlalchemy.Engine:
    url = database_url(url_or_path)
    return dialect_of(url).make_engine(url)


@contextmanager
def write(database: Database) -> Iterator[Session]:
    """Open a session that writes: one transaction, alone from its beginning, committed at the end of the block."""
    with translated(database.url), Session(database.engine, expire_on_commit=False) as session:
        session.connection(execution_options=dialect_of(database.url).WRITING)
        yield session
        session.commit()


@contextmanager
def read(source: Source) -> Iterator[Session]:
    """Open a session that reads: one consistent view, whatever others write meanwhile.

    An open session is handed on: what it reads belongs to the same view.
    """
    if isinstance(source, Session):
        yield source
        return
    with translated(source.url), Session(source.engine, expire_on_commit=False, autoflush=False) as session:
        if options := dialect_of(source.url).READING:
            session.connection(execution_options=options)
        yield session


def database_url(url_or_path: str | Path) -> URL:
    """Return the URL of a database given as URL or as the path of an SQLite file. Raises DatabaseAccessError."""
    if isinstance(url_or_path, Path) or "://" not in url_or_path:
        if not str(url_or_path):
            raise DatabaseAccessError("the database has no name; give a path, for example arena.db")
        return URL.create("sqlite", database=str(url_or_path))
    try:
        url = make_url(url_or_path)
        url.get_dialect()
    except (sqlalchemy.exc.ArgumentError, ValueError) as error:
        raise DatabaseAccessError(f"{url_or_path!r} is no database URL; write sqlite:///arena.db or a path") from error
    except ModuleNotFoundError as error:
        raise DatabaseAccessError(f"{url_or_path!r} needs the Python package {error.name}; install it") from error
    return url
