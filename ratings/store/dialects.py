"""Chooses what is particular to the database that serves: SQLite, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy.exc
from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.engine import URL

from engine.translatable import Text
from ratings.errors import NotUnicodeError, RatingsError
from ratings.store import postgresql, sqlite


class Dialect(Protocol):
    """What the modules `sqlite` and `postgresql` each provide."""

    READING: Mapping[str, Any]
    """Execution options of a transaction that reads."""
    WRITING: Mapping[str, Any]
    """Execution options of a transaction that will write, alone."""
    WRITING_TOGETHER: Mapping[str, Any]
    """Execution options of one that writes beside others of its kind, if the database can, and locks what it reads."""

    def is_there(self, url: URL) -> bool:
        """Return whether the database exists, without making it. Raises DatabaseAccessError if none could."""

    def make_engine(self, url: URL, *, only_reads: bool = False) -> Engine:
        """Return an engine, without connecting; with `only_reads` one that refuses to write.

        Raises DatabaseAccessError if no database could lie there.
        """

    def prepare_fresh(self, engine: Engine) -> None:
        """Set what a database keeps for ever, before it gets its first table."""

    def finish_schema(self, connection: Connection) -> None:
        """Do what is needed after migrations, inside their transaction; doing it twice changes nothing."""

    def mark(self, connection: PoolProxiedConnection) -> int:
        """Return a number that changes when another connection has written."""

    def translate(self, error: BaseException, url: URL) -> RatingsError | None:
        """Return what a driver's error means to people, with the remedy, or `None` if it is not known here."""

    def backup(self, engine: Engine, target: Path) -> None:
        """Copy the database into a new file. Raises BackupError."""

    def interrupt(self, driver: Any) -> None:
        """Have the statement fail that runs on a connection of the driver, in another thread."""

    def problems(self, connection: Connection) -> Iterator[str]:
        """Yield what the database's own checks find, one line each."""


def dialect_of(url: URL) -> Dialect:
    """Return the dialect of the database that the URL names."""
    return sqlite if url.get_backend_name() == "sqlite" else postgresql


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Turn the driver's errors that have a remedy into `ratings.errors`; let the others through.

    A text that is not Unicode, which somebody gave, comes out as NotUnicodeError.
    """
    try:
        yield
    except sqlalchemy.exc.DBAPIError as error:
        _raise_translated(error.orig or error, url, error)
        raise
    except UnicodeEncodeError as error:
        raise NotUnicodeError(Text("{text} is not Unicode text; write it anew", text=repr(error.object))) from error
    except Exception as error:  # a driver's error while connecting or copying comes unwrapped
        _raise_translated(error, url, error)
        raise


def _raise_translated(original: BaseException, url: URL, error: Exception) -> None:
    meaning = dialect_of(url).translate(original, url)
    if meaning is not None:
        raise meaning from error
