"""Databases are copied whole, go on after a kill, and are told apart from what is something else."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ratings.errors import CopyError, UnfinishedCopyError
from ratings.ledger import copying
from ratings.ledger.check import check
from ratings.ledger.copying import copy_database
from ratings.ledger.ledger import Ledger
from ratings.store import schema, tables
from ratings.store.database import Database, open_database, open_for_reading, upgrade
from ratings.store.sessions import write
from ratings.values.states import WorkStage
from tests.ratings import book

pytestmark = pytest.mark.both_databases

KILLED_AFTER_ROWS = """
import os, signal, sys
from ratings.ledger import copying
from ratings.store.database import open_database

copying.PART = 7
def report(stage, done, total):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
copying.copy_database(open_database(sys.argv[1]), open_database(sys.argv[2]), report)
"""


@pytest.fixture
def played(database: Database, tournament: str) -> Database:
    matches = book.take(database, tournament)
    for match in matches[:9]:
        book.record(database, match, details={"ä": [1.5, None, "\u2028"]}, replay=bytes(range(256)))
    return database


@pytest.fixture
def target(path: Path, empty_file: Path) -> Iterator[Database]:
    opened = open_database(book.copy_of(empty_file, path.with_name("target.db")))
    yield opened
    opened.close()


def everything(database: Database) -> dict[str, list[str]]:
    return book.rows(database, *(table.name for table in tables.metadata.sorted_tables))


def test_a_copy_holds_every_row_and_copying_again_adds_nothing(
    played: Database, target: Database, empty_file: Path, path: Path
) -> None:
    told: list[tuple[WorkStage, int, int]] = []
    copied = copy_database(played, target, lambda *place: told.append(place))
    assert everything(target) == everything(played)
    assert check(target) == []
    assert (copied.begun_with, copied.rows["match"], copied.rows["replay"]) == (0, 12, 9)
    whole = sum(copied.rows.values())
    assert told[-1] == (WorkStage.COMPARING, whole, whole)
    again = copy_database(played, target)
    assert (again.digest, again.begun_with) == (copied.digest, whole)
    third = open_database(book.copy_of(empty_file, path.with_name("third.db")))
    assert copy_database(target, third).digest == copied.digest
    third.close()
    assert Ledger(target).rebuild() == Ledger(played).rebuild() == 9


def goes_on(played: Database, target: str, rows: int) -> None:
    """A copy that was cut off after so many rows is refused by all but who goes on with it."""
    for attempt in (open_database, open_for_reading, upgrade):
        with pytest.raises(UnfinishedCopyError, match="is not finished; run the same `arena db copy` again, which"):
            attempt(target)
    again = open_database(target, copies=True)
    copied = copy_database(played, again)
    assert rows <= copied.begun_with < sum(copied.rows.values())
    assert everything(again) == everything(played)
    again.close()
    open_database(target).close()


class _CutOffError(Exception):
    """Ends a copy."""


def cut_off_after(rows: int) -> Callable[[WorkStage, int, int], None]:
    def report(_: WorkStage, done: int, __: int) -> None:
        if done >= rows:
            raise _CutOffError

    return report


def test_a_copy_that_is_cut_off_again_and_again_goes_on(
    played: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PART", 7)
    for rows in (1, 20, 60):
        with pytest.raises(_CutOffError):
            copy_database(played, target, cut_off_after(rows))
    goes_on(played, target.url.render_as_string(hide_password=False), 60)


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("killed-while-a-database-is-copied")
def test_a_killed_copy_goes_on(played: Database, target: Database) -> None:
    urls = [one.url.render_as_string(hide_password=False) for one in (played, target)]
    words = [sys.executable, "-c", KILLED_AFTER_ROWS, *urls, "20"]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    goes_on(played, urls[1], 20)


def is_whole(database: Database) -> bool:
    return schema.revision(database.engine) == schema.HEAD


def test_a_copy_is_whole_when_what_belongs_to_the_rows_is_there(played: Database, target: Database) -> None:
    def fail() -> None:
        assert everything(target) == everything(played)
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        copy_database(played, target, finish=fail)
    assert not is_whole(target)
    copy_database(played, target)
    assert is_whole(target)
    with pytest.raises(OSError, match="no room"):
        copy_database(played, target, finish=fail)
    assert is_whole(target), "a whole one stays so when nothing is added to it"


def test_a_copy_of_another_schema_is_not_gone_on_with(target: Database) -> None:
    with write(target) as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0000 copying'")
    url = target.url.render_as_string(hide_password=False)
    with pytest.raises(UnfinishedCopyError, match="another version of the arena began; name an empty database"):
        open_database(url, copies=True)
    with pytest.raises(UnfinishedCopyError, match="is not finished"):
        open_database(url)


def test_a_database_with_something_else_is_not_copied_into(
    played: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.add_bots(target, ("eve",))
    before = everything(target)
    with pytest.raises(CopyError, match=r"holds something else \(\w+\); name an empty database"):
        copy_database(played, target)
    assert everything(target) == before
    assert is_whole(target)


def test_what_was_changed_meanwhile_is_found(played: Database, target: Database) -> None:
    copy_database(played, target)
    with write(target) as session:
        session.connection().exec_driver_sql("UPDATE bot SET disabled_at_us = 1 WHERE name = 'ada'")
    with pytest.raises(CopyError, match="bot is not the same in both databases"):
        copy_database(played, target)


def test_large_parts_and_small_ones_come_to_the_same(
    played: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PART", 3)
    monkeypatch.setattr(copying, "_PASSED", 2)
    copy_database(played, target)
    assert everything(target) == everything(played)
