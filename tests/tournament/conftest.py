from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import registry
from tests.tournament.book import Book, install_countdown, open_book


@pytest.fixture(autouse=True)
def countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_plugins", registry._plugins)  # so that the end of the test takes the game away
    install_countdown()


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with open_book(tmp_path / "arena.db") as opened:
        yield opened
