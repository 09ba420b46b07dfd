"""Whether something was written to a database since it was read."""

from pathlib import Path

import pytest

from ratings.ledger.ledger import Ledger
from ratings.store.database import Database, open_database, open_for_reading


def write_something(database: Database) -> None:
    manifest = {"name": "ann", "command": ["python"], "games": ["*"], "memory_mb": 100, "deterministic": False}
    Ledger(database).add_version(bot="ann", owner=None, content_hash="00", manifest=manifest)


def test_the_mark_changes_when_somebody_else_writes_and_not_otherwise(tmp_path: Path) -> None:
    writer = open_database(tmp_path / "arena.db")
    reader = open_for_reading(tmp_path / "arena.db")
    before = reader.mark()
    assert before is not None
    is_alone = not reader.is_on_server  # where it changes, too, when something is written to another database
    assert not is_alone or reader.mark() == before
    write_something(writer)
    after = reader.mark()
    assert after != before
    assert not is_alone or reader.mark() == after
    reader.close()
    writer.close()


@pytest.mark.only_sqlite
def test_what_the_same_object_writes_changes_its_mark() -> None:
    database = open_database(":memory:")
    assert database.mark() is None, "there is one connection, which does not see its own writing"
    database.close()


def test_the_mark_can_be_asked_for_again_after_everything_was_closed(tmp_path: Path) -> None:
    database = open_database(tmp_path / "arena.db")
    first = database.mark()
    write_something(database)
    assert database.mark() != first
    database.close()
    assert database.mark() is not None
    database.close()


@pytest.mark.only_sqlite
def test_the_mark_follows_what_lies_at_the_path(tmp_path: Path) -> None:
    place, other = tmp_path / "arena.db", tmp_path / "other.db"
    for path in (place, other):
        open_database(path).close()
    reader = open_for_reading(place)
    first = reader.mark()
    place.unlink()
    assert reader.mark() is None
    other.rename(place)
    assert reader.mark() not in (None, first)
    reader.close()
