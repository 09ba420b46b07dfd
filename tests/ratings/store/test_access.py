"""Who can use a database: writers that meet or are killed, and readers where nothing can be written."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlmodel import select

from ratings.errors import DatabaseAccessError, DatabaseError
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.read.bots import list_bots
from ratings.read.tournaments import tournament_row
from ratings.store.database import open_database, open_for_reading
from ratings.store.models import AttemptRecord
from ratings.store.sessions import read
from ratings.store.waves import Progress, count_progress
from tests.ratings import book
from tests.support.machines import as_ordinary_user, run_on_small_disk


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
from tests.ratings.store.test_access import look_and_write
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


ROOT = Path(__file__).parents[3]


def start(
    path: Path, tournament: str, position: int = -1, point: str = "", worker: str = "w1"
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.ratings.writer", str(path), tournament, str(position), point, worker]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def planned(path: Path) -> str:
    database = open_database(path)
    tournament = book.create(database, book.add_bots(database, ("ada", "bob", "cyd", "dan")).values())
    database.close()
    return tournament


def uninterrupted(path: Path, tournament: str, copy: Path) -> dict[str, list[str]]:
    database = open_database(book.copy_of(path, copy))
    book.play_all(database, tournament)
    found = book.rows(database)
    database.close()
    return found


BOUNDARIES = [
    (0, "leased", 0),
    (0, "inside", 0),
    (0, "committed", 1),
    (5, "leased", 5),
    (5, "inside", 5),
    (11, "committed", 12),
]
"""Where writers are killed, one after the other, and how many matches are finished then."""


@pytest.mark.both_databases
@pytest.mark.needs("minutes")
@pytest.mark.host_fault("command-killed")
def test_killed_writers_lose_nothing_and_who_goes_on_ends_the_same(path: Path, tmp_path: Path) -> None:
    tournament = planned(path)
    expected = uninterrupted(path, tournament, tmp_path / "whole.db")
    for position, point, finished in BOUNDARIES:
        with start(path, tournament, position, point) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "stopped\n"
            writer.kill()
            writer.communicate()
        database = open_database(path)
        assert check(database) == []
        assert tournament_row(database, tournament).progress.finished == finished
        Ledger(database).release(tournament)
        database.close()
    database = open_database(path)
    assert book.take(database, tournament) == []
    assert book.rows(database) == expected
    database.close()


@pytest.mark.both_databases
@pytest.mark.needs("minutes")
@pytest.mark.host_fault("two-commands-write-at-once")
def test_two_writers_share_a_tournament_without_losing_or_doubling_a_match(path: Path, tmp_path: Path) -> None:
    tournament = planned(path)
    expected = uninterrupted(path, tournament, tmp_path / "whole.db")
    writers = [start(path, tournament, worker=name) for name in ("w1", "w2")]
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], errors
    database = open_database(path)
    assert check(database) == []
    assert book.rows(database) == expected
    with read(database) as session:
        assert count_progress(session, tournament) == Progress(planned=0, leased=0, finished=12, void=0)
        assert len(session.exec(select(AttemptRecord)).all()) == 12
    database.close()
