"""Real processes: writers that are killed, and writers that meet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlmodel import select

from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.read.tournaments import tournament_row
from ratings.store.database import open_database
from ratings.store.models import AttemptRecord
from ratings.store.progress import Progress, count_progress
from ratings.store.sessions import read
from tests.ratings import book

pytestmark = pytest.mark.both_databases

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
