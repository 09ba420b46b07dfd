"""The file of the book of record while a service is up: it must stay where it is."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.service.errors import DaemonError
from arena.service.home import Home
from engine.text import Text
from ratings.errors import DatabaseGoneError
from ratings.store.database import Database, open_database, rescue, rescued

LOOK_EVERY_S = 2.0


@contextmanager
def open_book(home: Home) -> Iterator[Database]:
    """Open the database of a home for the block; make it if there never was one.

    Raises ServiceError if its file was removed, in the block or before; what it held is kept beside it then, and the
    message says how to put it back. Raises the errors of `open_database`.
    """
    path = home.database
    if not home.is_on_server and not path.exists() and (kept := rescued(path)):
        raise DaemonError(
            Text(
                "service.no_any_more_holds_what",
                "there is no {path} any more, and {kept} holds what had been recorded; `{command}` puts it back",
                path=path,
                kept=kept,
                command=_put_back(kept, path),
            )
        )
    database = open_database(home.book)
    try:
        yield database
    except DatabaseGoneError as error:
        kept = rescue(database)
        remedy = (
            Text(
                "command.puts_back_what_been_recorded",
                "`{command}` puts back what had been recorded",
                command=_put_back(kept, path),
            )
            if kept
            else Text("command.restore_backup", "restore a backup")
        )
        raise DaemonError(Text("command.then", "{why}; then {remedy}", why=error, remedy=remedy)) from error
    finally:
        database.close()


async def watch_file(database: Database) -> None:
    """Return never; raise DatabaseGoneError soon after the file of the database was removed or replaced."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        database.need_file()


def _put_back(kept: Path, path: Path) -> str:
    return shlex.join(["mv", str(kept), str(path)])
