"""The one door to the database: open it, read, write, upgrade, back up.

    with write(engine) as session: ...   # one transaction, committed at the end, undone by any exception
    with read(engine) as session: ...    # one consistent view, never committed

Errors of the driver come out as `ratings.errors`, on one line with the remedy. Objects read stay usable afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy.exc
from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.engine import URL
from sqlmodel import Session

from ratings.errors import BackupError, DatabaseAccessError
from ratings.store import schema, sqlite
from ratings.store.schema import SchemaChange

# Engine and Session too, so that callers can name what they pass around without importing the drivers.
__all__ = [
    "Engine",
    "Session",
    "backup",
    "database_url",
    "is_there",
    "open_database",
    "read",
    "translated",
    "upgrade",
    "write",
]


def open_database(url_or_path: str | Path) -> Engine:
    """The database at a path, or of a URL such as `postgresql+psycopg://host/name`.

    A fresh or empty one is migrated. Raises SchemaVersionError, NotADatabaseError, DatabaseAccessError.
    """
    engine = _engine(url_or_path)
    try:
        with translated(engine.url):
            schema.ensure(engine)
    except sqlalchemy.exc.OperationalError as error:
        engine.dispose()
        raise DatabaseAccessError(f"{engine.url!r} cannot be opened: {str(error.orig).splitlines()[0]}") from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def upgrade(url_or_path: str | Path) -> SchemaChange:
    """Bring the database to this program's schema, in one transaction. Raises like `open_database`."""
    engine = _engine(url_or_path)
    try:
        with translated(engine.url):
            return schema.upgrade(engine)
    finally:
        engine.dispose()


@contextmanager
def write(engine: Engine) -> Iterator[Session]:
    """A session that writes: one transaction, alone from its beginning, committed at the end of the block."""
    with translated(engine.url), Session(engine, expire_on_commit=False) as session:
        session.connection(execution_options={sqlite.IMMEDIATE: True})
        yield session
        session.commit()


@contextmanager
def read(engine: Engine) -> Iterator[Session]:
    """A session that reads: one consistent view, whatever others write meanwhile."""
    with translated(engine.url), Session(engine, expire_on_commit=False, autoflush=False) as session:
        if not sqlite.is_sqlite(engine.url):  # which has no other level
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        yield session


def backup(engine: Engine, target: Path) -> None:
    """Copy the database into the new file `target`, while others go on writing. Raises BackupError."""
    if not sqlite.is_sqlite(engine.url):
        raise BackupError("only SQLite is backed up here; use the database's own tool, for example pg_dump")
    with translated(engine.url):
        sqlite.backup(engine, target)


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Turn the driver's errors that have a remedy into `ratings.errors`; let the others through."""
    try:
        yield
    except sqlalchemy.exc.DBAPIError as error:
        _raise_translated(error.orig or error, url, error)
        raise
    except Exception as error:  # a driver's error while connecting or copying comes unwrapped
        _raise_translated(error, url, error)
        raise


def _raise_translated(original: BaseException, url: URL, error: Exception) -> None:
    meaning = sqlite.translate(original, url)
    if meaning is not None:
        raise meaning from error


def is_there(url_or_path: str | Path) -> bool:
    """Whether the database exists; one on a server counts as there, opening it tells. Makes nothing.

    Raises DatabaseAccessError when none could lie at that place.
    """
    url = database_url(url_or_path)
    if not sqlite.is_sqlite(url):
        return True
    sqlite.check_place(url)
    name = url.database
    return name in (None, "", ":memory:") or str(name).startswith("file:") or Path(str(name)).exists()


def _engine(url_or_path: str | Path) -> Engine:
    url = database_url(url_or_path)
    if sqlite.is_sqlite(url):
        sqlite.check_place(url)
        return sqlite.make_engine(url)
    try:
        return create_engine(url)
    except ModuleNotFoundError as error:
        raise DatabaseAccessError(f"{url.drivername} needs the Python package {error.name}; install it") from error


def database_url(url_or_path: str | Path) -> URL:
    """The URL of a database given as URL or as the path of an SQLite file. Raises DatabaseAccessError."""
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
