"""Databases on a server: what is said of one that cannot be used, and copies from a file to a server and back."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url
from sqlmodel import select

from ratings.errors import (
    BackupError,
    DatabaseAccessError,
    DatabaseBusyError,
    DatabaseError,
    DatabaseLostError,
    NotADatabaseError,
    SchemaVersionError,
    UnfinishedCopyError,
)
from ratings.ledger.check import check
from ratings.ledger.copying import copy_database
from ratings.ledger.ledger import Ledger
from ratings.store import schema, tables
from ratings.store.database import Database, backup, open_database, open_for_reading, upgrade
from ratings.store.models import VersionRecord
from ratings.store.sessions import read, write
from ratings.values.states import WorkStage
from tests.ratings import book
from tests.support import postgres
from tests.support.postgres import Server, run_sql, url_of

ROOT = Path(__file__).parents[2]


def said(url: str) -> str:
    """What is said when a database is opened, which is one line and names no password."""
    with pytest.raises(DatabaseError) as raised:
        open_database(url).close()
    line = str(raised.value)
    assert "\n" not in line
    assert "geheim" not in line
    return f"{type(raised.value).__name__}: {line}"


def test_a_server_that_is_not_there_is_named_with_the_remedy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert said(f"postgresql://ada:geheim@127.0.0.1:{port}/book") == (
            f"DatabaseLostError: database 'book' on 127.0.0.1:{port} does not answer; see that its server runs, "
            "nothing was half-written"
        )


def test_a_name_of_no_machine_is_told() -> None:
    assert "cannot be opened" in said("postgresql://ada:geheim@nowhere.invalid/book")


def test_a_database_that_is_not_there_is_told_with_the_remedy() -> None:
    assert said(url_of("nobody")).endswith('(database "nobody" does not exist); make it with createdb, or name another')


def test_a_wrong_password_and_an_unknown_user_are_told(own_server: Server) -> None:
    hba = own_server.data / "pg_hba.conf"
    trusting = hba.read_text()
    own_server.stop()
    hba.write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    own_server.start(answers=False)
    try:
        place = own_server.url.partition("@")[2]
        for url in (f"postgresql://postgres:geheim@{place}", f"postgresql://eve:geheim@{place}", own_server.url):
            assert "does not let this user in" in said(url)
    finally:
        own_server.stop()
        hba.write_text(trusting)
        own_server.start()


def test_a_driver_that_is_not_installed_is_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "install kingmaker-arena[postgres]" in said(url)


@pytest.mark.parametrize("query", ["busy_timeout=soon", "nonsense=1", "prepare_threshold=x", "options=-cnonsense=1"])
def test_an_url_that_says_what_it_cannot_say_is_refused(url: str, query: str) -> None:
    assert said(f"{url}?{query}").startswith("DatabaseAccessError")


@pytest.mark.parametrize("query", ["prepare_threshold=0", "prepare_threshold=2", "options=-cwork_mem=8MB"])
def test_an_url_says_more_of_the_connection(url: str, query: str) -> None:
    with closing(open_database(f"{url}?{query}".replace("postgresql:", "PostgreSQL:"))) as database:
        with database.engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW jit").scalar_one() == "off"
            is_told = connection.exec_driver_sql("SHOW work_mem").scalar_one() == "8MB"
        assert is_told == ("work_mem" in query)


def test_a_server_without_a_place_for_another_connection_and_an_impatient_one_are_told(url: str) -> None:
    open_database(url).close()
    name = url.rpartition("/")[2]
    run_sql("DROP ROLE IF EXISTS few", "CREATE ROLE few LOGIN CONNECTION LIMIT 0")
    assert "has no connection left (too many connections" in said(url.replace("postgres@", "few@"))
    run_sql(f"ALTER DATABASE {name} CONNECTION LIMIT 0", "ALTER ROLE few CONNECTION LIMIT -1")
    assert "has no connection left (too many connections" in said(url.replace("postgres@", "few@"))
    run_sql(f"ALTER DATABASE {name} CONNECTION LIMIT -1")
    with closing(open_database(url)) as database, pytest.raises(DatabaseAccessError, match="ends what takes long"):
        take_too_long(database)
    assert "no schema has been selected" in said(f"{url}?options=-csearch_path=nowhere")


def take_too_long(database: Database) -> None:
    with write(database) as session:
        session.connection().exec_driver_sql("SET LOCAL statement_timeout = 50")
        session.connection().exec_driver_sql("SELECT pg_sleep(600)")


def test_older_newer_and_strange_schemas_are_refused_with_the_remedy(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(url)
    secret = make_url(url).set(password="geheim").render_as_string(hide_password=False)
    monkeypatch.setattr(schema, "REVISIONS", ("0000", *schema.REVISIONS))
    for revision, remedy in (("0000", "arena db upgrade --db"), ("9999", "older than the database; update it")):
        with write(database) as session:
            session.connection().exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        with pytest.raises(SchemaVersionError, match=remedy) as raised:
            open_database(secret)
        assert "geheim" not in str(raised.value)
    database.close()
    name = url.rpartition("/")[2]
    other = postgres.new_database()
    with postgres.connect(other) as connection:
        connection.execute(b"CREATE TABLE bookmarks (url text)")
    with pytest.raises(NotADatabaseError, match=f"{other} is a database of another program; name another"):
        open_database(url_of(other))
    run_sql(f"DROP DATABASE {other}")
    assert name != other


def test_who_only_reads_makes_no_tables_and_is_kept_from_writing(url: str) -> None:
    with pytest.raises(DatabaseAccessError, match="is empty; name a database that something was played in"):
        open_for_reading(url)
    open_database(url).close()
    reader = open_for_reading(url)
    with pytest.raises(DatabaseAccessError, match="cannot be written"):
        Ledger(reader).add_version(bot="ada", content_hash="1", manifest={})
    reader.close()


def test_who_may_not_make_tables_is_told(url: str) -> None:
    run_sql("DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN")
    assert "cannot be written (permission denied" in said(url.replace("postgres@", "reader@"))


def test_processes_that_open_an_empty_database_at_once_all_get_it(url: str) -> None:
    opener = "import sys; from ratings.store.database import open_database; open_database(sys.argv[1]).close()"
    words = [sys.executable, "-W", "error::UserWarning", "-c", opener, f"{url}?busy_timeout=300000"]
    processes = [subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 2, errors
    database = open_database(url)
    assert schema.revision(database.engine) == schema.HEAD
    database.close()


def test_texts_sort_by_their_code_points_whatever_language_the_server_speaks() -> None:
    name = f"{postgres.new_database()}"
    run_sql(f"DROP DATABASE {name}")
    run_sql(f"CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C'")
    database = open_database(url_of(name))
    for bot in ("a_b", "ab", "a-c", "a1"):
        Ledger(database).add_version(bot=bot, content_hash=bot, manifest={})
    with write(database) as session:
        found = session.connection().exec_driver_sql("SELECT name FROM bot ORDER BY name").scalars().all()
    assert found == ["a-c", "a1", "a_b", "ab"]
    database.close()
    run_sql(f"DROP DATABASE {name} WITH (FORCE)")


def test_who_waits_too_long_for_another_to_write_is_told(url: str) -> None:
    patient, hasty = open_database(url), open_database(f"{url}?busy_timeout=50")
    with write(patient), pytest.raises(DatabaseBusyError, match="is being written by another process"):
        Ledger(hasty).add_version(bot="ada", content_hash="1", manifest={})
    Ledger(hasty).add_version(bot="ada", content_hash="1", manifest={})
    patient.close()
    hasty.close()


def test_a_cut_connection_is_told_once_and_then_there_is_another(url: str) -> None:
    database = open_database(url)
    ledger = Ledger(database)
    ledger.add_version(bot="ada", content_hash="1", manifest={})
    name = url.rpartition("/")[2]
    run_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    with pytest.raises(DatabaseLostError, match="does not answer; see that its server runs"):
        ledger.add_version(bot="bob", content_hash="1", manifest={})
    ledger.add_version(bot="bob", content_hash="1", manifest={})
    database.close()


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
