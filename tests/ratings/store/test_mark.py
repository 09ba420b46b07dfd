"""Whether something was written to a database since it was read."""

from pathlib import Path

import pytest

from ratings.ledger.ledger import Ledger
from ratings.store.database import Database, open_database, open_for_reading
from tests.ratings.book import copy_of


def write_something(database: Database) -> None:
    manifest = {"name": "ann", "command": ["python"], "games": ["*"], "memory_mb": 100, "deterministic": False}
    Ledger(database).add_version(bot="ann", owner=None, content_hash="00", manifest=manifest)


@pytest.mark.both_databases
def test_the_mark_changes_when_somebody_else_writes_and_not_otherwise(path: Path) -> None:
    writer = open_database(path)
    reader = open_for_reading(path)
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


def test_what_the_same_object_writes_changes_its_mark() -> None:
    database = open_database(":memory:")
    assert database.mark() is None, "there is one connection, which does not see its own writing"
    database.close()


@pytest.mark.both_databases
def test_the_mark_can_be_asked_for_again_after_everything_was_closed(path: Path) -> None:
    database = open_database(path)
    first = database.mark()
    write_something(database)
    assert database.mark() != first
    database.close()
    assert database.mark() is not None
    database.close()


def test_the_mark_follows_what_lies_at_the_path(path: Path) -> None:
    other = copy_of(path, path.with_name("other.db"))
    reader = open_for_reading(path)
    first = reader.mark()
    path.unlink()
    assert reader.mark() is None
    other.rename(path)
    assert reader.mark() not in (None, first)
    reader.close()
