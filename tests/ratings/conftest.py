from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ratings.store.database import Database, open_database
from tests.ratings import book
from tests.support.both_databases import both_databases, databases_of, files_of_module, files_of_test, kind_of_database

__all__ = ["files_of_module", "files_of_test", "kind_of_database"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    both_databases(metafunc)


@pytest.fixture(scope="session")
def empty_file(kind_of_database: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database without a row, closed; tests work on copies."""
    path = tmp_path_factory.mktemp("template") / "empty.db"
    with databases_of(kind_of_database):
        open_database(path).close()
    return path


@pytest.fixture
def path(empty_file: Path, tmp_path: Path) -> Path:
    return book.copy_of(empty_file, tmp_path / "arena.db")


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    database = open_database(path)
    yield database
    database.close()


@pytest.fixture
def bots(database: Database) -> dict[str, str]:
    return book.add_bots(database, ("ada", "bob", "cyd", "dan"))


@pytest.fixture
def tournament(database: Database, bots: dict[str, str]) -> str:
    return book.create(database, bots.values())


@pytest.fixture
def singles(database: Database, bots: dict[str, str]) -> str:
    """A tournament whose matches are blocks of their own."""
    return book.create(database, bots.values(), blocks=book.singles(bots.values()))
