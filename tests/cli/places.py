"""The places at which a command line may be run: the database itself, and whatever else answers for it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tests.cli.support import Arena

Reached = Callable[[Arena], AbstractContextManager[Arena]]
"""Given the command on a database, the command that asks another place which answers for that database."""


@contextmanager
def here(arena: Arena) -> Iterator[Arena]:
    """The database itself."""
    yield arena


PLACES: dict[str, Reached] = {"here": here}
"""Every test that takes `arena_cli` runs once for each of them."""
