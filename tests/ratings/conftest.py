from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ratings.store.database import Database, open_database
from tests.ratings import book
from tests.support.databases import both_databases, databases_of, files_of_module, files_of_test, kind_of_database

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


@dataclass(frozen=True, slots=True)
class Filled:
    """A closed database with four bots, a copy of it with a tournament of them, one with that played, and the ids."""

    with_bots: Path
    bots: dict[str, str]
    with_tournament: Path
    tournament: str
    played: Path


@pytest.fixture(scope="session")
def filled(kind_of_database: str, empty_file: Path) -> Filled:
    """Databases that most tests begin with; they work on copies."""
    paths = [empty_file.with_name(f"{name}.db") for name in ("bots", "tournament", "played")]
    with databases_of(kind_of_database):
        database = open_database(book.copy_of(empty_file, paths[0]))
        bots = book.add_bots(database, ("ada", "bob", "cyd", "dan"))
        database.close()
        database = open_database(book.copy_of(paths[0], paths[1]))
        tournament = book.create(database, bots.values())
        database.close()
        database = open_database(book.copy_of(paths[1], paths[2]))
        book.play_all(database, tournament)
        database.close()
    return Filled(paths[0], bots, paths[1], tournament, paths[2])


@pytest.fixture
def template(request: pytest.FixtureRequest, empty_file: Path, filled: Filled) -> Path:
    """The closed database of which a test gets a copy: what it holds is what the test asks for."""
    if "all_played" in request.fixturenames:
        return filled.played
    if "tournament" in request.fixturenames:
        return filled.with_tournament
    return filled.with_bots if "bots" in request.fixturenames else empty_file


@pytest.fixture
def path(template: Path, tmp_path: Path) -> Path:
    return book.copy_of(template, tmp_path / "arena.db")


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    database = open_database(path)
    yield database
    database.close()


@pytest.fixture
def bots(filled: Filled, database: Database) -> dict[str, str]:
    return filled.bots


@pytest.fixture
def tournament(filled: Filled, database: Database) -> str:
    return filled.tournament


@pytest.fixture
def all_played(database: Database) -> None:
    """All twelve matches of `tournament` are finished; a test names this in a mark."""


@pytest.fixture
def singles(database: Database, bots: dict[str, str]) -> str:
    """A tournament whose matches are blocks of their own."""
    return book.create(database, bots.values(), blocks=book.singles(bots.values()))
