from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from ratings.errors import (
    BackupError,
    DatabaseAccessError,
    DatabaseBusyError,
    DatabaseFullError,
    NotADatabaseError,
    NotFoundError,
)
from ratings.ledger import bots as bot_book
from ratings.ledger.check import check
from ratings.store.database import Database as Engine
from ratings.store.database import backup, open_database, read, write
from ratings.store.models import Bot
from tests.ratings import book


def pragma(engine: Engine, name: str) -> object:
    with read(engine) as session:
        return session.connection().exec_driver_sql(f"PRAGMA {name}").scalar()


def test_connections_write_ahead_check_references_wait_and_sync(engine: Engine) -> None:
    assert pragma(engine, "journal_mode") == "wal"
    assert pragma(engine, "foreign_keys") == 1
    assert pragma(engine, "busy_timeout") == 10_000
    assert pragma(engine, "synchronous") == 2  # FULL


def test_a_write_that_raises_leaves_nothing(engine: Engine) -> None:
    def add_and_raise() -> None:
        with write(engine) as session:
            bot_book.add_version(session, bot="ada", content_hash="1", manifest={})
            bot_book.get_bot(session, "eve")

    with pytest.raises(NotFoundError):
        add_and_raise()
    assert book.count(engine, "bot") == 0


def test_a_read_never_commits(engine: Engine) -> None:
    with read(engine) as session:
        bot_book.add_version(session, bot="ada", content_hash="1", manifest={})
    assert book.count(engine, "bot") == 0


def test_a_reader_sees_one_state_while_another_writes(engine: Engine) -> None:
    with read(engine) as session:
        assert bot_book.list_bots(session) == []
        book.add_bots(engine, ["ada"])
        assert bot_book.list_bots(session) == []
    with read(engine) as session:
        assert [row.bot.name for row in bot_book.list_bots(session)] == ["ada"]


def test_what_was_read_stays_usable_after_the_session(engine: Engine) -> None:
    book.add_bots(engine, ["ada"])
    with read(engine) as session:
        bot = bot_book.get_bot(session, "ada")
    assert bot.name == "ada"


def test_references_to_nothing_are_refused(engine: Engine) -> None:
    with pytest.raises(IntegrityError), write(engine) as session:
        session.add(Bot(id="1", name="ada", owner_id="nobody", created_at_us=0))


def test_a_database_locked_by_another_is_busy(path: Path) -> None:
    patient, hasty = open_database(path), open_database(f"sqlite:///{path}?busy_timeout=0")
    with write(patient), pytest.raises(DatabaseBusyError, match="another process; try again"), write(hasty):
        pass
    patient.dispose()
    hasty.dispose()


def test_a_full_database_says_so_and_keeps_what_was_recorded(path: Path) -> None:
    roomy = open_database(path)
    names = book.add_bots(roomy, ("ada", "bob", "cyd"))
    tournament = book.create(roomy, names.values())
    first, second, third = book.take(roomy, tournament)
    assert book.record(roomy, first)
    roomy.dispose()
    pages = path.stat().st_size // 4096
    tight = open_database(f"sqlite:///{path}?max_page_count={pages}")
    before = book.rows(tight, *tight_tables())
    with pytest.raises(DatabaseFullError, match="no room left"):
        book.record(tight, second, replay=bytes(200_000))
    assert book.rows(tight, *tight_tables()) == before
    assert check(tight) == []
    tight.dispose()
    roomy = open_database(path)
    assert book.record(roomy, second)
    assert book.record(roomy, third)
    assert check(roomy) == []
    roomy.dispose()


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


def test_a_full_disk_stops_the_making_of_a_database_and_leaves_a_fresh_one(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with pytest.raises(DatabaseFullError):
        open_database(f"sqlite:///{path}?max_page_count=10")
    engine = open_database(path)
    assert check(engine) == []
    engine.dispose()


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


def test_a_damaged_file_is_named_as_such(path: Path) -> None:
    engine = open_database(path)
    book.add_bots(engine, [f"bot{number}" for number in range(200)])
    engine.dispose()
    content = bytearray(path.read_bytes())
    content[100 : len(content)] = bytes(len(content) - 100)
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError):
        open_database(path)


def test_a_backup_is_a_whole_database_and_others_write_meanwhile(
    engine: Engine, tournament: str, tmp_path: Path
) -> None:
    book.play_all(engine, tournament)
    target = tmp_path / "copy.db"
    with write(engine) as session:
        session.connection().execute(text("UPDATE tournament SET name = 'not committed'"))
        backup(engine, target)
    copy = open_database(target)
    assert check(copy) == []
    assert book.rows(copy, "rating") == book.rows(engine, "rating")
    assert "not committed" not in str(book.rows(copy, "tournament"))
    copy.dispose()


def test_a_backup_is_one_file_without_companions(engine: Engine, tmp_path: Path) -> None:
    target = tmp_path / "copies"
    target.mkdir()
    backup(engine, target / "copy.db")
    assert [file.name for file in target.iterdir()] == ["copy.db"]
    with closing(sqlite3.connect(target / "copy.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_backup_never_overwrites(engine: Engine, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    with pytest.raises(BackupError, match="exists already"):
        backup(engine, target)
    assert target.read_text() == "precious"
    with pytest.raises(BackupError, match="no directory"):
        backup(engine, tmp_path / "nowhere" / "copy.db")


def test_a_file_without_permission_to_write_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_database(f"sqlite:///file:{path}?mode=ro&uri=true")
    with pytest.raises(DatabaseAccessError, match="permissions"), write(engine) as session:
        bot_book.add_version(session, bot="ada", content_hash="1", manifest={})
    engine.dispose()
