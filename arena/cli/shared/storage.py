"""Opens the database that a command names, with the store of the bots' files and the settings beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.shared.connect import demo_command, need_here, next_command
from arena.cli.shared.errors import CliError
from engine.translatable import Text
from ratings.store.database import Database, is_there, open_database
from ratings.values.pools import RatingMethod

if TYPE_CHECKING:  # what keeps and starts bots is imported by those who do, not by who looks at the database
    from arena.hosting.sandbox.stored_programs import StoredPrograms
    from arena.hosting.store import VersionStore
    from arena.service.settings import ServiceSettings


_FILE = "settings.toml"


@dataclass(frozen=True, slots=True)
class Storage:
    """An open database, and the store with the files of its bots."""

    database: Database
    place: str
    """The database as the user named it."""

    @property
    def store(self) -> VersionStore:
        """Return the store of the bots' files."""
        from arena.app.bot_store import store_of

        return store_of(self.place)

    @property
    def programs(self) -> StoredPrograms:
        """Return the programs of the bots, for those who plan matches."""
        return self.stored_programs()

    def stored_programs(self) -> StoredPrograms:
        """Return the programs of the bots; passed as a function to those who may never need them."""
        from arena.cli.shared.hosting import local_runtimes
        from arena.hosting.sandbox.stored_programs import StoredPrograms

        return StoredPrograms(self.store, runtimes=local_runtimes())


@contextmanager
def open_storage(db: str, *, makes: bool = True, copies: bool = False) -> Iterator[Storage]:
    """Open the database named on the command line; make it if there is none. It is closed when the block ends.

    Unless it `makes` tables, an empty one raises EmptyDatabaseError; with `copies` a copy that was cut off is opened,
    too, to go on with it. Raises LocalOnlyError if a service is named instead.
    """
    database = open_database(need_here(db), makes=makes, copies=copies)
    try:
        yield Storage(database, db)
    finally:
        database.close()


@contextmanager
def open_existing_storage(db: str) -> Iterator[Storage]:
    """Open a database like `open_storage`, but make nothing: raise CliError if there is none, or an error if empty."""
    need_existing(need_here(db))
    with open_storage(db, makes=False) as storage:
        yield storage


def need_existing(db: str) -> None:
    """Raise CliError if there is no database at a place."""
    if not is_there(db):
        add = next_command("bot", "add", "DIRECTORY", db=db)
        raise CliError(
            Text(
                "there is no database at {path}; `{first}` or `{second}` makes one",
                path=db,
                first=demo_command(db),
                second=add,
            )
        )


def settings_beside(database: str) -> ServiceSettings:
    """Return what the settings file beside a database says, with the defaults for the rest. Raises SettingsError."""
    from arena.service.settings import load_settings  # only who asks for ladders or limits reads settings

    return load_settings(Path(database).parent / _FILE, {}, os.environ).values


def method_beside(database: str) -> RatingMethod:
    """Return what pools are rated by that name no method: what the home says, or the variable. Raises SettingsError."""
    return RatingMethod(settings_beside(database).service.rating_method)


def pace_beside(database: str) -> int | None:
    """Return the pace of ladders that have none of their own, or `None` if the database lies in no home."""
    is_home = (Path(database).parent / _FILE).is_file()
    return settings_beside(database).service.matches_per_day if is_home else None
