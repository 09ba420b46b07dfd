"""A database that takes nothing more can be looked at, and says why nothing can be written."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ratings.errors import DatabaseAccessError, DatabaseError
from ratings.ledger.ledger import Ledger
from ratings.read.bots import list_bots
from ratings.store.database import open_database, open_for_reading
from tests.ratings import book
from tests.support.ordinary_user import as_ordinary_user
from tests.support.small_disk import run_on_small_disk


@pytest.fixture
def shown() -> Iterator[Path]:
    """A directory that every user of the machine may look into."""
    with tempfile.TemporaryDirectory(prefix="ka-shown-") as directory:
        place = Path(directory)
        place.chmod(0o755)
        yield place
        place.chmod(0o755)


def look_and_write(path: Path) -> str:
    """The bots that are found, and the name of the error when another one is added."""
    database = open_database(path)
    try:
        names = [row.bot.name for row in list_bots(database).items]
        try:
            Ledger(database).add_version(bot="eve", content_hash="e", manifest={})
        except DatabaseError as error:
            return f"{names} {type(error).__name__}"
        return f"{names} written"
    finally:
        database.close()


@pytest.mark.host_fault("database-read-only")
@pytest.mark.parametrize("is_file_writable", [False, True], ids=["file and directory", "directory"])
def test_a_database_that_may_only_be_read_is_looked_at(path: Path, shown: Path, is_file_writable: bool) -> None:
    there = make(path, shown)
    there.chmod(0o666 if is_file_writable else 0o444)
    shown.chmod(0o555)
    assert as_ordinary_user(lambda: look_and_write(there)) == "['ada'] DatabaseAccessError"
    assert sorted(shown.iterdir()) == [there]


@pytest.mark.host_fault("database-read-only")
def test_pages_show_a_database_that_may_only_be_read(path: Path, shown: Path) -> None:
    there = make(path, shown)
    there.chmod(0o444)
    shown.chmod(0o555)

    def look_twice() -> str:
        with closing(open_for_reading(there)) as database:
            return str([[row.bot.name for row in list_bots(database).items] for _ in range(2)])

    assert as_ordinary_user(look_twice) == "[['ada'], ['ada']]"


@pytest.mark.host_fault("database-read-only-after-a-kill")
def test_one_that_may_only_be_read_and_was_killed_amid_writing_is_not_half_read(path: Path, shown: Path) -> None:
    there = make(path, shown)
    with closing(sqlite3.connect(there)) as writer:
        writer.execute("UPDATE bot SET name = 'newer'")
        writer.commit()
        killed = Path(shutil.copytree(shown, shown / "killed"))
    (killed / "arena.db-shm").unlink()
    (killed / "arena.db-wal").chmod(0o444)
    (killed / "arena.db").chmod(0o444)
    killed.chmod(0o555)
    found = as_ordinary_user(lambda: look_and_write(killed / "arena.db"))
    killed.chmod(0o755)
    assert "permissions of file and directory" in found, "what the log holds is not left out"


ON_A_FULL_DISK = """
import os, sys
from pathlib import Path
from tests.ratings.store.test_looking import look_and_write
disk, path = Path(sys.argv[1]), Path(sys.argv[2])
there = disk / "arena.db"
there.write_bytes(path.read_bytes())
filler = open(disk / "filler", "wb", buffering=0)
try:
    while filler.write(bytes(4096)) == 4096: pass
except OSError: pass
filler.close()
print(look_and_write(there))
(disk / "filler").unlink()
print(look_and_write(there))
"""


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("disk-full-while-looking")
def test_a_full_disk_is_looked_at_and_written_to_when_there_is_room_again(path: Path, tmp_path: Path) -> None:
    made = make(path, tmp_path / "made")
    command = [sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path / "small"), str(made)]
    assert run_on_small_disk(tmp_path / "small", 1500, command) == [
        "['ada'] DatabaseFullError",
        "['ada'] written",
    ]


def make(empty: Path, directory: Path) -> Path:
    """A closed database with a bot in a directory."""
    directory.mkdir(exist_ok=True)
    there = Path(shutil.copy(empty, directory / "arena.db"))
    with closing(open_database(there)) as database:
        book.add_bots(database, ["ada"])
    return there


@pytest.mark.host_fault("no-database")
def test_a_database_in_a_place_without_one_is_not_looked_for(shown: Path) -> None:
    shown.chmod(0o555)

    def make_one() -> str:
        try:
            open_database(shown / "arena.db")
        except DatabaseAccessError as error:
            return str(error)
        return "made"

    assert "check the permissions of file and directory" in as_ordinary_user(make_one)
