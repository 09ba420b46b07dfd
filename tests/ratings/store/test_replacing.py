"""A database that is read for days: its file may be taken away, or another one put in its place."""

import sqlite3
from pathlib import Path

import pytest

from ratings.errors import DatabaseAccessError, NotADatabaseError
from ratings.read.bots import list_bots
from ratings.store.database import open_database, open_for_reading
from tests.ratings import book


def make(path: Path, bot: str) -> Path:
    database = open_database(path)
    book.add_bots(database, [bot])
    database.close()
    return path


def test_readers_go_on_with_whatever_lies_at_the_path_and_say_when_nothing_does(tmp_path: Path) -> None:
    path = make(tmp_path / "arena.db", "ada")
    database = open_for_reading(path)

    def bots() -> list[str]:
        return [one.bot.name for one in list_bots(database).items]

    assert bots() == ["ada"]
    make(tmp_path / "other.db", "bob").replace(path)
    assert bots() == ["bob"]
    path.rename(tmp_path / "away.db")
    for _ in range(2):
        with pytest.raises(DatabaseAccessError, match="not there any more"):
            bots()
        assert not path.exists(), "an empty database was made"
    (tmp_path / "foreign.db").write_text("no database")
    (tmp_path / "foreign.db").replace(path)
    with pytest.raises(NotADatabaseError):
        bots()
    (tmp_path / "away.db").rename(path)
    assert bots() == ["bob"]
    database.close()


def test_a_database_of_another_schema_in_its_place_is_not_read(tmp_path: Path) -> None:
    path = make(tmp_path / "arena.db", "ada")
    database = open_for_reading(path)
    other = sqlite3.connect(make(tmp_path / "other.db", "bob"))
    other.execute("UPDATE alembic_version SET version_num = '0001'")
    other.commit()
    other.close()
    (tmp_path / "other.db").replace(path)
    with pytest.raises(DatabaseAccessError, match="start this again"):
        list_bots(database)
    database.close()


def test_an_empty_file_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "arena.db").touch()
    with pytest.raises(DatabaseAccessError, match="empty file"):
        open_for_reading(tmp_path / "arena.db")
