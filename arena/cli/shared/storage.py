"""Opens the database that a command was pointed to, and the store of bots beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.cli.shared.errors import CliError, unknown
from arena.cli.shared.suggestions import demo_command, next_command
from arena.hosting.store import VersionStore
from ratings.errors import RatingsError
from ratings.ledger import bots
from ratings.store.database import Engine, Session, database_url, is_there, open_database, read
from ratings.store.models import Version


@dataclass(frozen=True, slots=True)
class Book:
    """An open database and the files of its bots."""

    engine: Engine
    store: VersionStore
    place: str
    """As the user named it."""


@contextmanager
def open_book(db: str) -> Iterator[Book]:
    """The database named on the command line, migrated if it is fresh, closed at the end of the block."""
    engine = open_database(db)
    try:
        yield Book(engine, VersionStore.of_database(store_path(db)), db)
    finally:
        engine.dispose()


@contextmanager
def open_existing_book(db: str) -> Iterator[Book]:
    """Like `open_book`, for commands that have nothing to do in a fresh database. Raises CliError and makes nothing."""
    if not is_there(db):
        add = next_command("bot", "add", "DIRECTORY", db=db)
        raise CliError(f"there is no database at {db}; `{demo_command(db)}` or `{add}` makes one")
    with open_book(db) as book:
        yield book


def store_path(db: str) -> Path:
    """The path beside which the store lies: the file itself, or a name of its own for a database elsewhere."""
    return Path(database_url(db).database or "arena.db")


def find_version(session: Session, text: str) -> Version:
    """The version named `bot` or `bot@hash`. Raises MisuseError with the nearest name of a bot."""
    name = text.partition("@")[0]
    known = [row.bot.name for row in bots.list_bots(session)]
    if name not in known:
        raise unknown("bot", name, known, "`arena bot list` shows all, `arena bot add DIRECTORY` adds one")
    return bots.resolve_version(session, text)


def inspect_database(db: str) -> tuple[bool, str, str]:
    """Whether a database can be used, what was found, and the remedy; makes nothing. A missing one is fine."""
    try:
        if not is_there(db):
            return True, f"{db} is not there yet; it is made on first use", ""
        with open_book(db) as book, read(book.engine) as session:
            return True, f"{db} is in order, with {len(bots.list_bots(session))} bots", ""
    except RatingsError as error:
        problem, _, remedy = str(error).partition("; ")
        return False, problem, remedy
