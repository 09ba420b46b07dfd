"""A database of its own for each test, as a copy of an empty one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ratings.store.database import Database, open_database
from tests.ratings import book


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database without a row, closed."""
    path = tmp_path_factory.mktemp("template") / "empty.db"
    open_database(path).close()
    return path


@pytest.fixture
def database(empty: Path, tmp_path: Path) -> Iterator[Database]:
    database = open_database(book.copy_of(empty, tmp_path / "arena.db"))
    yield database
    database.close()
