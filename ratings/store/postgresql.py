"""All that is particular to PostgreSQL, and to any other database on a server.

Where SQLite has one writer at a time, statements here take row locks (`FOR UPDATE`), which SQLite ignores.
"""
# ruff: noqa: ARG001 - both dialects have the same signatures

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, PoolProxiedConnection, create_engine
from sqlalchemy.engine import URL

from ratings.errors import BackupError, DatabaseAccessError, RatingsError

READING: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ"}
WRITING: Mapping[str, Any] = {}
TELLS_CHANGES = False


def is_there(url: URL) -> bool:
    """Return True: whether the server answers is seen when the database is opened."""
    return True


def make_engine(url: URL, *, only_reads: bool = False) -> Engine:
    """Return an engine, without connecting. Raises DatabaseAccessError if the driver is not installed."""
    options = {"postgresql_readonly": True} if only_reads else {}
    try:
        return create_engine(url, execution_options=options)
    except ModuleNotFoundError as error:
        raise DatabaseAccessError(f"{url.drivername} needs the Python package {error.name}; install it") from error


def prepare_fresh(engine: Engine) -> None:
    """Do nothing: all settings are the server's own."""


def mark(connection: PoolProxiedConnection) -> int:
    """Return 0: nobody asks."""
    return 0


def translate(error: BaseException, url: URL) -> RatingsError | None:
    """Return `None`: the server's own messages are left as they are."""
    return None


def backup(engine: Engine, target: Path) -> None:
    """Raise BackupError: a server has tools of its own."""
    raise BackupError("only SQLite is backed up here; use the database's own tool, for example pg_dump")


def problems(connection: Connection) -> Iterator[str]:
    """Yield nothing: the server checks its pages and references itself."""
    yield from ()


def interrupt(driver: Any) -> None:
    """Have the statement fail that runs on a connection of the driver, in another thread."""
    driver.cancel()
