from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from ratings.errors import NotADatabaseError, SchemaVersionError
from ratings.ledger.check import check
from ratings.read.leaderboard import leaderboards
from ratings.store import database, schema, tables
from ratings.store.database import Database, open_database, upgrade
from tests.ratings import book
from tests.support.databases import REVISION, make_empty, raw, second_schema, whole
from tests.support.patience import PATIENCE_S

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


@pytest.mark.both_databases
def test_an_upgrade_keeps_every_row_and_fills_what_is_new(
    database: Database, tournament: str, path: Path, tmp_path: Path
) -> None:
    for match in book.take(database, tournament, 10):
        book.record(database, match)
    names = [table.name for table in tables.metadata.sorted_tables if table.name != "wave"]
    before = book.rows(database, *names)
    waves = everything(path, "SELECT tournament_id, planned_at_us FROM wave")
    head = schema.HEAD
    with second_schema(tmp_path):
        with pytest.raises(SchemaVersionError, match=rf"{head}.*arena db upgrade --db \S+$"):
            open_database(path)
        assert upgrade(path) == schema.SchemaChange(head, REVISION)
        upgraded = open_database(path)
        assert book.rows(upgraded, *names) == before
        upgraded.close()
        assert upgrade(path) == schema.SchemaChange(REVISION, REVISION)
    assert everything(path, "SELECT tournament_id, made_at_us FROM wave") == waves != []
    labels = everything(path, "SELECT number, label FROM version")
    assert labels
    assert all(label == f"version {number}" for number, label in labels)
    with pytest.raises(SchemaVersionError, match=rf"{REVISION}.*older than the database; update it"):
        open_database(path)


@pytest.mark.both_databases
def test_an_upgrade_that_fails_leaves_the_database_as_it_was(path: Path, tmp_path: Path) -> None:
    before = everything(path, "SELECT * FROM version")
    with (
        second_schema(tmp_path, last="raise RuntimeError('in the middle')"),
        pytest.raises(RuntimeError, match="in the middle"),
    ):
        upgrade(path)
    open_database(path).close()
    assert everything(path, "SELECT * FROM version") == before


@pytest.mark.both_databases
def test_a_fresh_database_gets_all_schemas(tmp_path: Path) -> None:
    make_empty(tmp_path / "new.db")
    with second_schema(tmp_path):
        open_database(tmp_path / "new.db").close()
    assert everything(tmp_path / "new.db", "SELECT number, label FROM version") == []


def everything(path: Path, query: str) -> list[tuple[object, ...]]:
    """The rows that a query finds, in some order that is always the same."""
    with raw(path) as connection:
        return sorted((tuple(row) for row in connection.exec_driver_sql(query).all()), key=repr)


def test_the_seats_of_a_match_lie_together(tmp_path: Path) -> None:
    path = tmp_path / "fresh.db"
    open_database(path).close()
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


# tests/postgresql/test_database.py does the same on a server
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


@pytest.mark.both_databases
def test_pools_from_before_there_were_rating_methods_are_rated_by_trueskill(database: Database, path: Path) -> None:
    tournament = book.create(database, book.add_bots(database, ("ada", "bob", "cyd")).values())
    for match in book.take(database, tournament):
        book.record(database, match)
    before = leaderboards(database).items
    database.close()
    with raw(path) as connection:
        connection.exec_driver_sql("ALTER TABLE pool DROP COLUMN rating_method")
    set_revision(path, "0003")
    upgrade(path)
    with closing(open_database(path)) as again:
        assert leaderboards(again).items == before
        assert [board.pool for board in before] == [book.POOL]
        assert check(again) == []
