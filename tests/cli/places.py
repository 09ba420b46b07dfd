"""The places at which a command line may be run: the database itself, and a service that answers for it."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.cli.support import Arena, Finished
from tests.support.owners import running_server

Reached = Callable[[Arena], AbstractContextManager[Arena]]
"""Given the command on a database, the command that asks another place which answers for that database."""


@contextmanager
def here(arena: Arena) -> Iterator[Arena]:
    """The database itself."""
    yield arena


@contextmanager
def there(arena: Arena) -> Iterator[Arena]:
    """A service on the same machine, asked as its organiser; the environment names it, as people would have it."""
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), database=arena.db) as server,
    ):
        yield _AtService(arena, f"unix:{server.addresses.socket}")


class _AtService(Arena):
    """The command with a service in its environment."""

    def __init__(self, arena: Arena, name: str) -> None:
        self.db = arena.db
        self._arena = arena
        self._name = name

    def __call__(self, *words: str | Path) -> Finished:
        os.environ["ARENA_SERVER"] = self._name
        try:
            return self._arena(*words)
        finally:
            del os.environ["ARENA_SERVER"]


PLACES: dict[str, Reached] = {"here": here, "there": there}
"""Every test that takes `arena_cli` runs once for each of them."""
