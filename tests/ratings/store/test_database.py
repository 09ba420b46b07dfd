"""The handle of a database: opened, backed up, noticing what others write and that its file was replaced."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError

from ratings.errors import (
    BackupError,
    DatabaseAccessError,
    DatabaseBusyError,
    DatabaseFullError,
    DatabaseGoneError,
    NotADatabaseError,
    NotFoundError,
)
from ratings.ledger.bots import NewVersion, add_version
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.read.bots import list_bots
from ratings.store.database import Database, backup, open_database, open_for_reading, rescue, rescued
from ratings.store.identifiers import IdSource, new_id, now_us
from ratings.store.models import BotRecord
from ratings.store.sessions import get_bot, read, write
from tests.ratings import book
from tests.ratings.book import copy_of


def pragma(database: Database, name: str) -> object:
    with read(database) as session:
        return session.connection().exec_driver_sql(f"PRAGMA {name}").scalar()


def test_connections_write_ahead_check_references_wait_and_sync(database: Database) -> None:
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "foreign_keys") == 1
    assert pragma(database, "busy_timeout") == 10_000
    assert pragma(database, "synchronous") == 2  # FULL


def test_every_connection_syncs_whatever_sqlite_was_built_to_do(path: Path) -> None:
    database = open_database(path)

    def come_unsynced(connection: sqlite3.Connection, _entry: object) -> None:
        connection.execute("PRAGMA synchronous=OFF")  # as some builds of SQLite begin with less than FULL

    event.listen(database.engine, "connect", come_unsynced, insert=True)
    database.engine.dispose()
    assert pragma(database, "synchronous") == 2  # FULL
    database.close()


def test_a_write_that_raises_leaves_nothing(database: Database) -> None:
    def add_and_raise() -> None:
        with write(database) as session:
            add_version(session, NewVersion("ada", "1", {}))
            get_bot(session, "eve")

    with pytest.raises(NotFoundError):
        add_and_raise()
    assert book.count(database, "bot") == 0


def test_a_read_never_commits(database: Database) -> None:
    with read(database) as session:
        add_version(session, NewVersion("ada", "1", {}))
    assert book.count(database, "bot") == 0


def test_a_reader_sees_one_state_while_another_writes(database: Database) -> None:
    with read(database) as session:
        assert list_bots(session).items == ()
        book.add_bots(database, ["ada"])
        assert list_bots(session).items == ()
    with read(database) as session:
        assert [row.bot.name for row in list_bots(session).items] == ["ada"]


def test_what_was_read_stays_usable_after_the_session(database: Database) -> None:
    book.add_bots(database, ["ada"])
    with read(database) as session:
        bot = get_bot(session, "ada")
    assert bot.name == "ada"


def test_references_to_nothing_are_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), write(database) as session:
        session.add(BotRecord(id="1", name="ada", owner_id="nobody", created_at_us=0))


@pytest.mark.host_fault("database-locked-for-long")
def test_a_database_locked_by_another_is_busy(path: Path) -> None:
    patient, hasty = open_database(path), open_database(f"sqlite:///{path}?busy_timeout=0")
    with write(patient), pytest.raises(DatabaseBusyError, match="another process; try again"), write(hasty):
        pass
    patient.close()
    hasty.close()


@pytest.mark.host_fault("database-full")
def test_a_full_database_says_so_and_keeps_what_was_recorded(path: Path) -> None:
    roomy = open_database(path)
    names = book.add_bots(roomy, ("ada", "bob", "cyd"))
    tournament = book.create(roomy, names.values())
    first, second, third = book.take(roomy, tournament)
    assert book.record(roomy, first)
    roomy.close()
    pages = path.stat().st_size // 4096
    tight = open_database(f"sqlite:///{path}?max_page_count={pages}")
    before = book.rows(tight, *tight_tables())
    with pytest.raises(DatabaseFullError, match="no room left"):
        book.record(tight, second, replay=bytes(200_000))
    assert book.rows(tight, *tight_tables()) == before
    assert check(tight) == []
    tight.close()
    roomy = open_database(path)
    assert book.record(roomy, second)
    assert book.record(roomy, third)
    assert check(roomy) == []
    roomy.close()


def tight_tables() -> tuple[str, ...]:
    return (
        "match",
        "match_seat",
        "attempt",
        "replay",
        "fault",
        "rating",
        "rating_change",
        "rating_order",
        "tournament",
    )


@pytest.mark.host_fault("disk-full-while-a-database-is-made")
def test_a_full_disk_stops_the_making_of_a_database_and_leaves_a_fresh_one(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(DatabaseFullError):
        open_database(f"sqlite:///{path}?max_page_count=10")
    database = open_database(path)
    assert check(database) == []
    database.close()


SMALL_FILES = """
import resource, sys
from ratings.errors import DatabaseAccessError
from ratings.store.database import open_database
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    open_database(sys.argv[1])
except DatabaseAccessError as error:
    print(error)
"""


@pytest.mark.host_fault("ulimit-of-file-size")
def test_a_limit_of_the_size_of_files_is_not_taken_for_a_fault_of_the_disk(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", SMALL_FILES, str(tmp_path / "new.db")], capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith(f"{tmp_path}/new.db would become larger than files may be here (4 kB, ulimit -f); ")


@pytest.mark.host_fault("two-commands-make-one-database")
def test_who_makes_a_database_waits_for_another_who_makes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(time, "sleep", lambda _: other.in_transaction and other.execute("ROLLBACK"))
        open_database(path).close()
    hasty = f"sqlite:///{tmp_path}/newer.db?busy_timeout=0"
    with closing(sqlite3.connect(tmp_path / "newer.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseBusyError):
            open_database(hasty)


def test_places_where_no_file_can_lie_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseAccessError, match="is a directory"):
        open_database(tmp_path)
    with pytest.raises(DatabaseAccessError, match="there is no directory"):
        open_database(tmp_path / "nowhere" / "arena.db")
    with pytest.raises(DatabaseAccessError, match="no name"):
        open_database("")


@pytest.mark.parametrize("url", ["nonsense://", "sqlite:///a.db?busy_timeout=soon", "://", "postgresql+nodriver://x/y"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(DatabaseAccessError):
        open_database(url)


@pytest.mark.host_fault("database-damaged")
def test_a_damaged_file_is_named_as_such(path: Path) -> None:
    database = open_database(path)
    book.add_bots(database, ["ada", "bob"])
    database.close()
    content = bytearray(path.read_bytes())
    content[100 : len(content)] = bytes(len(content) - 100)
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError):
        open_database(path)


@pytest.mark.usefixtures("all_played")
def test_a_backup_is_a_whole_database_and_others_write_meanwhile(
    database: Database, tournament: str, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    with write(database) as session:
        session.connection().execute(text("UPDATE tournament SET name = 'not committed'"))
        backup(database, target)
    copy = open_database(target)
    assert check(copy) == []
    assert book.rows(copy, "rating") == book.rows(database, "rating")
    assert "not committed" not in str(book.rows(copy, "tournament"))
    copy.close()


def test_a_backup_is_one_file_without_companions(database: Database, tmp_path: Path) -> None:
    target = tmp_path / "copies"
    target.mkdir()
    backup(database, target / "copy.db")
    assert [file.name for file in target.iterdir()] == ["copy.db"]
    with closing(sqlite3.connect(target / "copy.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_backup_never_overwrites(database: Database, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    with pytest.raises(BackupError, match="exists already"):
        backup(database, target)
    assert target.read_text() == "precious"
    with pytest.raises(BackupError, match="no directory"):
        backup(database, tmp_path / "nowhere" / "copy.db")


@pytest.mark.host_fault("database-read-only")
def test_a_file_without_permission_to_write_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(f"sqlite:///file:{path}?mode=ro&uri=true")
    with pytest.raises(DatabaseAccessError, match="permissions"), write(database) as session:
        add_version(session, NewVersion("ada", "1", {}))
    database.close()


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


def test_who_comes_behind_a_removed_file_of_the_database_is_told_so(tmp_path: Path) -> None:
    path = make(tmp_path / "arena.db", "ada")
    database = open_database(path)
    book.add_bots(database, ["bob"])
    (tmp_path / "arena.db-wal").unlink()
    with pytest.raises(DatabaseAccessError, match="if a file beside it was removed, end all programs that use it and"):
        book.add_bots(open_database(path), ["eve"])
    assert {row.bot.name for row in list_bots(database).items} == {"ada", "bob"}, (
        "who has it open keeps what was recorded"
    )
    database.close()


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


def test_an_id_is_a_uuid_of_version_7_in_its_one_spelling() -> None:
    text = new_id()
    parsed = uuid.UUID(text)
    assert (parsed.version, parsed.variant, str(parsed)) == (7, uuid.RFC_4122, text)


def test_an_id_begins_with_its_millisecond() -> None:
    before = time.time_ns() // 1_000_000
    stamp = uuid.UUID(IdSource()()).int >> 80
    assert before <= stamp <= time.time_ns() // 1_000_000


@pytest.mark.host_fault("clock-jumps-back")
@given(st.lists(st.integers(0, 2**48 - 2), min_size=2, max_size=50))
def test_ids_ascend_whatever_the_system_clock_does(instants: list[int]) -> None:
    clock = iter(instants)
    source = IdSource(lambda: next(clock))
    ids = [source() for _ in instants]
    assert all(earlier < later for earlier, later in itertools.pairwise(ids))


def test_an_exhausted_counter_moves_on_to_the_next_millisecond() -> None:
    source = IdSource(lambda: 5)
    first = source()
    source._counter = 2**42 - 1
    second = source()
    assert first < second
    assert uuid.UUID(second).int >> 80 == 6


def test_threads_never_get_the_same_id() -> None:
    source = IdSource()
    with ThreadPoolExecutor(4) as threads:
        ids = list(threads.map(lambda _: source(), range(1000)))
    assert len(set(ids)) == 1000


def test_instants_are_microseconds_since_1970() -> None:
    assert abs(now_us() - time.time() * 1e6) < 60e6
