"""The fixtures of a book of record with Nim in it, which are those of `tests.tournament`."""

from tests.tournament.conftest import book, fresh_book, kind_of_database, nim

__all__ = ["book", "fresh_book", "kind_of_database", "nim"]
