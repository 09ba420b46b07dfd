"""The fixtures of a book of record with Nim in it, which are those of `tests.tournament`."""

import pytest

from tests.tournament.conftest import book, fresh_book, kind_of_database, nim

__all__ = ["book", "fresh_book", "kind_of_database", "nim"]


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots of owners may play although this machine may have no sandbox: a scripted executor starts none of them."""
    monkeypatch.setattr("arena.hosting.sandbox.stored_programs.find_level", lambda **_: "standard")
