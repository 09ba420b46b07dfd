"""A database that is read for days: its file may be taken away, or another one put in its place."""

import shutil
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ratings.errors import DatabaseAccessError, DatabaseGoneError, NotADatabaseError
from ratings.ledger.bots import NewVersion, add_version
from ratings.read.bots import list_bots
from ratings.store.database import open_database, open_for_reading, rescue, rescued
from ratings.store.sessions import write
from tests.ratings import book


@cache
def database_with(bot: str) -> bytes:
    with TemporaryDirectory() as directory:
        database = open_database(Path(directory, "arena.db"))
        book.add_bots(database, [bot])
        database.close()
        return Path(directory, "arena.db").read_bytes()


def make(path: Path, bot: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(database_with(bot))
    return path


@pytest.mark.host_fault("database-replaced")
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
    other.execute("UPDATE alembic_version SET version_num = '9000'")
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


def bots_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM bot ORDER BY name")]


@pytest.mark.host_fault("database-taken-away")
def test_who_writes_notices_that_the_file_was_taken_away_and_what_was_recorded_is_kept(tmp_path: Path) -> None:
    path = make(tmp_path / "arena.db", "ada")
    database = open_database(path)
    book.add_bots(database, ["bob"])
    for name in ("arena.db", "arena.db-wal", "arena.db-shm"):
        (tmp_path / name).unlink()
    for act in (lambda: book.add_bots(database, ["eve"]), lambda: list_bots(database)):
        with pytest.raises(DatabaseGoneError, match="was taken away while it was in use"):
            act()
        assert not path.exists(), "an empty database was made"
    kept = rescue(database)
    assert kept == tmp_path / "arena.db.rescued-1"
    assert bots_in(kept) == ["ada", "bob"]
    again = rescue(database)
    database.close()
    assert again == rescued(path) == tmp_path / "arena.db.rescued-2", "nothing is replaced"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["arena.db.rescued-1", "arena.db.rescued-2"]


@pytest.mark.host_fault("database-taken-away-amid-a-step")
def test_what_was_begun_before_the_file_was_taken_away_is_not_recorded(tmp_path: Path) -> None:
    path = make(tmp_path / "arena.db", "ada")
    database = open_database(path)

    def write_to_what_is_removed() -> None:
        with write(database) as session:
            add_version(session, NewVersion("eve", "1", {}))
            path.unlink()

    with pytest.raises(DatabaseGoneError):
        write_to_what_is_removed()
    kept = rescue(database)
    database.close()
    assert kept is not None
    assert bots_in(kept) == ["ada"]


@pytest.mark.host_fault("database-replaced")
def test_who_writes_notices_that_another_file_lies_in_its_place_and_leaves_it_alone(tmp_path: Path) -> None:
    path = make(tmp_path / "arena.db", "ada")
    database = open_database(path)
    list_bots(database)
    make(tmp_path / "other.db", "bob").replace(path)
    with pytest.raises(DatabaseGoneError, match="was replaced by another file"):
        book.add_bots(database, ["eve"])
    kept = rescue(database)
    database.close()
    assert kept is not None
    assert (bots_in(kept), bots_in(path)) == (["ada"], ["bob"])


@pytest.mark.host_fault("database-taken-away-with-its-directory")
def test_nothing_is_rescued_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = make(tmp_path / "inside" / "arena.db", "ada")
    database = open_database(path)
    shutil.rmtree(tmp_path / "inside")
    assert rescue(database) is None
    database.close()
