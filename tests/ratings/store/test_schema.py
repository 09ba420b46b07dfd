"""Schemas are told apart and upgraded; bots from before there was a service get what they need."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, select

from arena.match.result import Fault, FaultCause
from ratings.errors import NotADatabaseError, SchemaVersionError
from ratings.ledger.check import check
from ratings.ledger.leasing import LostAttempt, record_lost
from ratings.ledger.ledger import Ledger
from ratings.read.active_versions import active_version, bot_events
from ratings.read.bots import find_version, list_bots
from ratings.store import database, schema, tables
from ratings.store.database import Database, open_database, upgrade
from ratings.store.sessions import write
from tests.ratings import book
from tests.support.patience import PATIENCE_S
from tests.support.raw_database import make_empty, raw, whole

ROOT = Path(schema.__file__).parents[2]


def set_revision(path: Path, revision: str) -> None:
    with raw(path) as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")


@pytest.mark.both_databases
def test_migrations_and_models_describe_the_same_schema(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, tables.metadata) == []


@pytest.mark.both_databases
def test_the_listed_revisions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == schema.REVISIONS
    assert scripts.get_heads() == [schema.HEAD]


@pytest.mark.both_databases
def test_a_fresh_file_is_migrated_by_itself_also_at_a_place_with_a_percent_sign(tmp_path: Path) -> None:
    database = open_database(tmp_path / "100%s.db")
    assert schema.revision(database.engine) == schema.HEAD
    database.close()


def test_an_empty_file_is_migrated_too(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    open_database(path).close()
    assert path.stat().st_size > 0


def test_a_database_in_memory_works(tmp_path: Path) -> None:
    database = open_database("sqlite://")
    assert len(book.add_bots(database, ("ada", "bob"))) == 2
    database.close()


@pytest.mark.both_databases
def test_a_newer_schema_is_refused_with_the_remedy_and_not_touched(path: Path) -> None:
    set_revision(path, "9999")
    before = whole(path)
    for attempt in (open_database, upgrade):
        with pytest.raises(SchemaVersionError, match=r"9999.*older than the database; update it"):
            attempt(path)
    assert whole(path) == before


@pytest.mark.both_databases
def test_an_older_schema_is_refused_with_the_remedy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "REVISIONS", ("0000", *schema.REVISIONS))
    set_revision(path, "0000")
    with pytest.raises(SchemaVersionError, match=r"0000.*arena db upgrade --db \S+$"):
        open_database(path)


def database_of(path: Path, revision: str, full: Database) -> None:
    """A database with the schema of a revision, and in it all rows of `full` that it has room for."""
    make_empty(path)
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    with raw(path) as target, full.engine.connect() as source:
        config.attributes["connection"] = target
        command.upgrade(config, revision)
        tables = MetaData()
        tables.reflect(target)
        for table in tables.sorted_tables:
            rows = [dict(row) for row in source.execute(select(table)).mappings()]
            if rows and table.name != "alembic_version":
                target.execute(table.insert(), rows)


OFTEN = ("0001", "0009")
"""The revisions from which an upgrade is tried often: all migrations, and the one that fills in most."""
RARELY = [revision for revision in schema.REVISIONS[:-1] if revision not in OFTEN]


@pytest.mark.both_databases
@pytest.mark.parametrize("revision", OFTEN)
def test_an_upgrade_keeps_every_row_and_every_rating(
    database: Database, tournament: str, tmp_path: Path, revision: str
) -> None:
    upgrade_from(revision, database, tournament, tmp_path)


@pytest.mark.needs("minutes")
@pytest.mark.parametrize("revision", RARELY)
def test_an_upgrade_from_any_other_revision_does_so_too(
    database: Database, tournament: str, tmp_path: Path, revision: str
) -> None:
    upgrade_from(revision, database, tournament, tmp_path)


def upgrade_from(revision: str, database: Database, tournament: str, tmp_path: Path) -> None:
    """Upgrade a database of that revision with all rows that it has room for, and compare it with one of today."""
    *taken, lost = book.take(database, tournament, 10)
    for match in taken:
        fault = Fault(0, FaultCause.TIMEOUT, 3, "late", {"stderr": "x"})
        book.record(database, match, faults=(fault,), sandbox=None)  # which the first revisions had no room for
    if revision > "0001":  # which had no room for causes
        with write(database) as session:
            why = ("its worker ended", "WORKER_DIED", {"signal": 9})
            record_lost(session, LostAttempt(lost.match_id, lost.attempt, *why))
    forget_texts(database)
    old = tmp_path / "old.db"
    database_of(old, revision, database)
    with pytest.raises(SchemaVersionError, match=rf"{revision}.*arena db upgrade --db \S+$"):
        open_database(old)
    assert upgrade(old) == schema.SchemaChange(revision, schema.HEAD)
    upgraded = open_database(old)
    assert check(upgraded) == []
    names = [table.name for table in tables.metadata.sorted_tables]
    assert book.rows(upgraded, *names) == book.rows(database, *names)
    upgraded.close()


def forget_texts(database: Database) -> None:
    """Leave of every sentence its plain words, which alone the older revisions had."""
    with write(database) as session:
        for table in tables.metadata.sorted_tables:
            texts = dict.fromkeys(column.name for column in table.columns if column.name.endswith("_text"))
            if texts:
                session.connection().execute(table.update().values(texts))


def test_the_seats_of_a_match_lie_together_in_a_fresh_database_and_in_an_upgraded_one(tmp_path: Path) -> None:
    fresh, old = open_database(tmp_path / "fresh.db"), tmp_path / "old.db"
    database_of(old, "0008", fresh)
    fresh.close()
    upgrade(old)
    for path in (tmp_path / "fresh.db", old):
        with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.OperationalError, match="rowid"):
            connection.execute("SELECT rowid FROM match_seat")


@pytest.mark.both_databases
def test_upgrading_a_current_database_changes_nothing(path: Path) -> None:
    assert upgrade(path) == schema.SchemaChange(schema.HEAD, schema.HEAD)


@pytest.mark.both_databases
def test_upgrading_a_fresh_file_migrates_it(tmp_path: Path) -> None:
    make_empty(tmp_path / "new.db")
    assert upgrade(tmp_path / "new.db") == schema.SchemaChange(None, schema.HEAD)


def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n" * 1000)
    before = path.read_bytes()
    with pytest.raises(NotADatabaseError, match=r"notes\.txt is not a database; name another file"):
        open_database(path)
    assert path.read_bytes() == before


@pytest.mark.both_databases
def test_another_programs_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    make_empty(path)
    with raw(path) as connection:
        connection.exec_driver_sql("CREATE TABLE bookmarks (url TEXT)")
    before = whole(path)
    for attempt in (open_database, upgrade):
        with pytest.raises(NotADatabaseError, match="another program"):
            attempt(path)
    assert whole(path) == before


@pytest.mark.both_databases
def test_another_programs_alembic_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    make_empty(path)
    with raw(path) as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num TEXT)")
        connection.exec_driver_sql("CREATE TABLE users (id TEXT)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('0001')")
    with pytest.raises(NotADatabaseError, match="another program"):
        open_database(path)


# tests/postgresql/test_opening.py does the same on a server
@pytest.mark.needs("minutes")
@pytest.mark.host_fault("two-commands-make-one-database")
def test_many_processes_may_open_one_fresh_file_at_once(tmp_path: Path) -> None:
    opener = "import sys; from ratings.store.database import open_database; open_database(sys.argv[1]).close()"
    make_empty(tmp_path / "new.db")
    # All but the first wait until the schema is made, which takes as long as it does on a busy machine.
    url = database.database_url(tmp_path / "new.db").render_as_string(hide_password=False)
    address = f"{url}?busy_timeout={int(PATIENCE_S * 1000)}"
    command = [sys.executable, "-W", "error::UserWarning", "-c", opener, address]
    processes = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * 2, errors


@pytest.mark.needs("minutes")
def test_the_migrations_work_from_the_wheel(tmp_path: Path) -> None:
    builders = pytest.importorskip("hatchling.builders.wheel")
    wheel = next(iter(builders.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])))
    installed = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    script = (
        "import sys, ratings; from ratings.store.database import open_database; "
        "open_database(sys.argv[1]).close(); print(ratings.__file__)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "new.db")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()).is_relative_to(installed)


OWNERS = "INSERT INTO owner (id, name, created_at_us) VALUES ('o1', 'ada', 1), ('o2', 'Grace Hopper', 1)"
BOTS = """
    INSERT INTO bot (id, name, owner_id, created_at_us, disabled_at_us) VALUES
    ('b1', 'fox', 'o1', 2, NULL), ('b2', 'owl', NULL, 2, 25), ('b3', 'elk', 'o2', 2, NULL)
"""
VERSIONS = """
    INSERT INTO version (id, bot_id, number, content_hash, manifest, created_at_us) VALUES
    ('v1', 'b1', 1, 'aa', '{}', 10), ('v2', 'b2', 1, 'aa', '{}', 20), ('v3', 'b2', 2, 'bb', '{}', 30),
    ('v4', 'b3', 1, 'cc', '{}', 40)
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    make_empty(path)
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    with raw(path) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for statement in (OWNERS, BOTS, VERSIONS):
            connection.exec_driver_sql(statement)
    return path


@pytest.mark.both_databases
def test_its_bots_are_named_after_their_owners_the_log_tells_what_is_known_and_they_go_on(old: Path) -> None:
    upgrade(old)
    database = open_database(old)
    assert [(row.bot.name, row.owner) for row in list_bots(database).items] == [
        ("Grace Hopper/elk", "Grace Hopper"),
        ("owl", None),
        ("ada/fox", "ada"),
    ]
    assert find_version(database, "ada/fox@aa").version.id == "v1"
    assert check(database) == []
    told = [(row.event.kind.value, row.number, row.event.at_us) for row in bot_events(database, "owl").items]
    assert told == [
        ("promoted", 2, 30),
        ("submitted", 2, 30),
        ("disabled", None, 25),
        ("promoted", 1, 20),
        ("submitted", 1, 20),
    ]
    assert [row.event.kind.value for row in bot_events(database, "ada/fox").items] == ["submitted"]
    active = active_version(database, "owl")
    assert active is not None
    assert (active.id, active.predecessor) == ("v3", 1)
    assert active_version(database, "ada/fox") is None
    version, is_new = Ledger(database).add_version(bot="fox", owner="ada", content_hash="dd", manifest={})
    assert (version.bot_id, version.number, is_new) == ("b1", 2, True)
    assert len(bot_events(database, "ada/fox").items) == 2
    database.close()
