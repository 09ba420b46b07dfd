import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import registry
from tests.support.databases import both_databases, databases_of, files_of_module, files_of_test, kind_of_database
from tests.tournament.book import BOTS, Book, install_nim, open_book

__all__ = ["files_of_module", "files_of_test", "kind_of_database"]


@pytest.fixture(autouse=True)
def nim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", registry._plugins)  # so that the end of the test takes the game away
    install_nim()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    both_databases(metafunc)


@pytest.fixture(scope="session")
def fresh_book(kind_of_database: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a book with the bots of the tests in it, to be copied: making one takes longest."""
    directory = tmp_path_factory.mktemp("fresh")
    with databases_of(kind_of_database), open_book(directory / "arena.db") as made:
        for name in BOTS:
            made.add_bot(name)
    return directory


@pytest.fixture
def book(tmp_path: Path, fresh_book: Path) -> Iterator[Book]:
    with open_book(shutil.copytree(fresh_book, tmp_path / "book") / "arena.db") as opened:
        yield opened
