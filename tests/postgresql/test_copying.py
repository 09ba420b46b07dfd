"""An arena moves from a file to a server and back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from sqlmodel import select

from ratings.errors import BackupError, UnfinishedCopyError
from ratings.ledger.check import check
from ratings.ledger.copying import copy_database
from ratings.ledger.ledger import Ledger
from ratings.store import tables
from ratings.store.database import Database, backup, open_database, open_for_reading, upgrade
from ratings.store.models import VersionRecord
from ratings.store.sessions import read
from ratings.values.states import WorkStage
from tests.ratings import book
from tests.support import postgres


def everything(database: Database) -> dict[str, list[str]]:
    return book.rows(database, *(table.name for table in tables.metadata.sorted_tables))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arena.db"
    database = open_database(path)
    tournament = book.create(database, book.add_bots(database, ("ada", "bob", "cyd", "dan")).values())
    for match in book.take(database, tournament)[:9]:
        book.record(database, match, details={"ä": [1.5, None]}, replay=bytes(range(256)))
    database.close()
    return path


def test_from_a_file_to_a_server_and_back_everything_stays_the_same(file: Path, url: str, tmp_path: Path) -> None:
    start, server, end = open_database(file), open_database(url), open_database(tmp_path / "back.db")
    first, second = copy_database(start, server), copy_database(server, end)
    assert first.digest == second.digest
    assert everything(start) == everything(server) == everything(end)
    assert check(server) == check(end) == []
    for database in (start, server, end):
        database.close()


def test_a_copy_to_a_server_that_is_cut_off_is_refused_until_it_is_finished(
    file: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: WorkStage, done: int, __: int) -> None:
        if done >= 9:
            raise KeyboardInterrupt

    monkeypatch.setattr("ratings.ledger.copying.PART", 3)
    start, server = open_database(file), open_database(url)
    with pytest.raises(KeyboardInterrupt):
        copy_database(start, server, interrupt)
    server.close()
    for attempt in (open_database, open_for_reading, upgrade):
        with pytest.raises(UnfinishedCopyError, match="is a copy that is not finished; run the same `arena db copy`"):
            attempt(url)
    server = open_database(url, copies=True)
    assert copy_database(start, server).begun_with >= 9
    server.close()
    server = open_for_reading(url)
    assert everything(server) == everything(start)
    for database in (start, server):
        database.close()


def test_what_a_server_refuses_in_a_text_is_replaced_in_a_copy_and_by_who_writes_there(file: Path, url: str) -> None:
    start, server = open_database(file), open_database(url)
    Ledger(start).add_version(bot="eve", content_hash="e" * 64, manifest={"of": "\0"}, message="a\0b")
    copy_database(start, server)
    copy_database(start, server)
    Ledger(server).add_version(bot="eve", content_hash="f" * 64, manifest={}, message="\0\ud800")
    with read(server) as session:
        said = session.exec(
            select(VersionRecord.message).where(VersionRecord.message != "").order_by(VersionRecord.message)
        ).all()
    assert said == ["a\N{REPLACEMENT CHARACTER}b", "\N{REPLACEMENT CHARACTER}?"]
    for database in (start, server):
        database.close()


def test_a_backup_of_a_server_can_be_restored(url: str, file: Path, tmp_path: Path) -> None:
    start, server = open_database(file), open_database(url)
    copy_database(start, server)
    backup(server, tmp_path / "club.dump")
    assert (tmp_path / "club.dump").stat().st_mode & 0o777 == 0o600
    with pytest.raises(BackupError, match="exists already"):
        backup(server, tmp_path / "club.dump")
    name = postgres.new_database()
    subprocess.run(
        ["pg_restore", "--no-owner", f"--dbname={postgres.url_of(name)}", tmp_path / "club.dump"], check=True
    )
    restored = open_database(postgres.url_of(name))
    assert everything(restored) == everything(start)
    for database in (start, server, restored):
        database.close()
    postgres.run_sql(f"DROP DATABASE {name}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.db", "club.dump"]


def test_a_backup_that_cannot_be_made_says_why_and_leaves_nothing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = open_database(url)
    with pytest.raises(BackupError, match="there is no directory"):
        backup(server, tmp_path / "nowhere" / "club.dump")
    postgres.run_sql(f"ALTER DATABASE {url.rpartition('/')[2]} ALLOW_CONNECTIONS false")
    with pytest.raises(BackupError, match=r"pg_dump failed \(.+\); nothing was kept"):
        backup(server, tmp_path / "club.dump")
    monkeypatch.setattr("ratings.store.postgresql.shutil.which", lambda _: None)
    with pytest.raises(BackupError, match="pg_dump, which is not installed here; install Debian's postgresql-client"):
        backup(server, tmp_path / "club.dump")
    assert list(tmp_path.iterdir()) == []
    server.close()
