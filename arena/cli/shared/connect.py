"""Connects a command to the arena that it is about: a database here, or the service that a stored login names.

It also writes the command lines that messages suggest, so that they work at the same place. It prints nothing.
"""

from __future__ import annotations

import enum
import gc
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.model.errors import LocalOnlyError
from engine.translatable import Text
from ratings.store.urls import keep_password

if TYPE_CHECKING:  # gRPC is imported when there is a service to talk to, and the database when there is one here
    from arena.cli.shared.storage import Storage
    from arena.model.accounts import OwnerUsage
    from arena.model.port import ArenaPort  # names every value that crosses the interface
    from arena.rpc.remote_arena import RemoteArena


SERVICE = "arena://"
"""What a place begins with that is a service; the name of a stored login follows."""
_MISTYPED = re.compile(r"^postgres(ql)?:|\bpassword=", re.IGNORECASE)
HERE_REMEDY = "leave out --server and ARENA_SERVER, and name a database of this machine with --db"


def service_name(place: str) -> str | None:
    """Return the name of the login if the place is a service, or `None` if it is a database."""
    return place.removeprefix(SERVICE) if place.startswith(SERVICE) else None


def need_here(place: str, remedy: str = HERE_REMEDY) -> str:
    """Return the place if it is a database. Raise LocalOnlyError, which ends with `remedy`, if it is a service."""
    name = service_name(place)
    if name is not None:
        raise LocalOnlyError(
            Text(
                "this is done where the database lies, not over the service {name}; {remedy}",
                name=repr(name),
                remedy=remedy,
            )
        )
    return place


def read_place(context: typer.Context, db: str | None) -> str | None:
    """Return the place that `--db` and the option `--server` of the whole command line mean together.

    This is the callback of `--db`. What is written on the command line counts more than what the environment says.
    Raise MisuseError if both are written there.
    """
    if db is not None and "://" in db and not db.startswith(SERVICE):
        db = keep_password(db)
    elif db is not None and _MISTYPED.search(db):  # a path to others, which would be shown, and may hold a password
        raise MisuseError(Text("a database on a server is written as postgresql://NAME@HOST/DATABASE"))
    server = context.find_root().params.get("server") or settings.NO_SERVER
    names_db = was_written(context.get_parameter_source("db"))
    names_server = was_written(context.find_root().get_parameter_source("server"))
    source = context.get_parameter_source("db")
    is_given = source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")
    if db == settings.DB.default and not is_given:
        db = settings.usual_database()
    if server == settings.NO_SERVER:
        return db
    if names_db and names_server:
        raise MisuseError(Text("--server and --db exclude each other; give one of them"))
    return db if names_db else f"{SERVICE}{server}"


def was_written(source: enum.Enum | None) -> bool:
    """Return whether a parameter of that source was written on the command line."""
    return source is not None and source.name == "COMMANDLINE"


def refuse_server(context: typer.Context) -> None:
    """Raise MisuseError if `--server` is written before a command that works on this machine alone."""
    if was_written(context.find_root().get_parameter_source("server")):
        words = context.command_path.removeprefix(f"{context.find_root().command_path} ")
        raise MisuseError(
            Text("`arena {words}` works on this machine, not at a service; leave out --server", words=words)
        )


def program() -> str:
    """Return how this command is called: `arena`, or its path if the shell finds another program of that name."""
    called = Path(sys.argv[0])
    if called.name != "arena":
        return "arena"
    found = shutil.which("arena")
    if found is not None and called.exists() and Path(found).samefile(called):
        return "arena"
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def demo_command(db: str) -> str:
    """Return the command line that plays a first tournament into `db`, named always: the demo has its own default."""
    return join([program(), "demo", "--db", db])


def next_command(*words: str, db: str) -> str:
    """Return the command line to type next; it names the database or the service unless that is the default one."""
    name = service_name(db)
    if name is not None:
        before, after = ([] if name == settings.SERVER.value else ["--server", name]), []
    else:
        is_usual = db == settings.usual_database() and settings.SERVER.value == settings.NO_SERVER
        before, after = [], [] if is_usual else ["--db", db]
    return join([program(), *before, *words, *after])


@dataclass(frozen=True, slots=True)
class ArenaConnection:
    """An open connection to an arena."""

    arena: ArenaPort
    place: str
    """As the user named it: a database, or a service."""
    storage: Storage | None
    """The database, for whoever plays here; `None` for a service, which plays by itself."""

    def command(self, *words: str) -> str:
        """Return the command line to type next, at the same place."""
        return next_command(*words, db=self.place)


@contextmanager
def connect(place: str, *, makes: bool = False) -> Iterator[ArenaConnection]:
    """Connect to the arena at a place; it is closed when the block ends.

    A database that is missing is made if `makes` is true. Raises CliError if it is not to be made, or if there is no
    such service.
    """
    name = service_name(place)
    if name is None:
        with _connect_here(place, makes=makes) as connection:
            yield connection
    else:
        with open_service(name) as arena:
            yield ArenaConnection(arena, place, None)


@contextmanager
def _connect_here(place: str, *, makes: bool) -> Iterator[ArenaConnection]:
    with importing():
        from arena.app.arena import LocalArena
        from arena.cli.shared.storage import method_beside, open_existing_storage, open_storage, pace_beside

    with open_storage(place) if makes else open_existing_storage(place) as storage:
        here = LocalArena(
            storage.database,
            storage.stored_programs,
            matches_per_day=partial(pace_beside, place),
            rating_method=partial(method_beside, place),
        )
        yield ArenaConnection(here, place, storage)


def open_service(name: str) -> AbstractContextManager[RemoteArena]:
    """Return the connection to the service that the stored login `name` is for."""
    from arena.rpc.quiet import keep_grpc_quiet

    keep_grpc_quiet()
    from arena.rpc.login import connect as connect_there  # gRPC is imported only by who needs it

    return connect_there(name)


@contextmanager
def importing() -> Iterator[None]:
    """Let the block import; what is there when it ends is never looked through for garbage again.

    Where nothing was imported, or whoever called looks for no garbage either, nothing changes: a process that runs many
    commands keeps none of their garbage.
    """
    if not gc.isenabled():
        yield
        return
    known = len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
        gc.enable()


def usage_of(connection: ArenaConnection, owner: str | None) -> OwnerUsage:
    """Return what an owner has; at a database, with the limits of the service whose home it lies in."""
    usage = connection.arena.account.get_usage(owner)
    if connection.storage is None:
        return usage
    from arena.cli.shared.storage import settings_beside  # only here, where the database is open already

    own = {key: getattr(usage.limits, key) for key in usage.own}
    return replace(usage, limits=settings_beside(connection.place).limits.of_owners.with_own(own))
