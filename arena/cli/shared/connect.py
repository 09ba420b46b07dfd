"""Connects a command to the arena that it is about: a database here, or a service there. It prints nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from arena.cli.shared.importing import importing
from arena.cli.shared.places import service_name
from arena.cli.shared.suggestions import next_command
from arena.rpc.quiet import keep_grpc_quiet

if TYPE_CHECKING:  # gRPC is imported when there is a service to talk to, and the database when there is one here
    from arena.cli.shared.storage import Storage
    from arena.model.port import ArenaPort  # names every value that crosses the interface
    from arena.rpc.remote import RemoteArena


@dataclass(frozen=True, slots=True)
class ArenaConnection:
    """An arena that can be asked."""

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
        from arena.cli.shared.storage import open_existing_storage, open_storage

    with open_storage(place) if makes else open_existing_storage(place) as storage:
        here = LocalArena(storage.database, storage.stored_programs, matches_per_day=partial(_pace_beside, place))
        yield ArenaConnection(here, place, storage)


def _pace_beside(place: str) -> int | None:
    from arena.cli.shared.home_settings import pace_beside  # only who asks for ladders reads settings

    return pace_beside(place)


def open_service(name: str) -> AbstractContextManager[RemoteArena]:
    """Return the connection to the service that the stored login `name` is for."""
    keep_grpc_quiet()
    from arena.rpc.login import connect as connect_there  # gRPC is imported only by who needs it

    return connect_there(name)
