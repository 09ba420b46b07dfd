"""Real processes: writers that are killed, and writers that meet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlmodel import select

from ratings.ledger.check import check
from ratings.ledger.entry import Progress, progress, release
from ratings.store.database import open_database, read, write
from ratings.store.models import Attempt
from tests.ratings import book

ROOT = Path(__file__).parents[3]


def start(
    path: Path, tournament: str, position: int = -1, point: str = "", worker: str = "w1"
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.ratings.writer", str(path), tournament, str(position), point, worker]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def planned(path: Path) -> str:
    engine = open_database(path)
    tournament = book.create(engine, book.add_bots(engine, ("ada", "bob", "cyd", "dan")).values())
    engine.dispose()
    return tournament


def uninterrupted(path: Path, tournament: str, copy: Path) -> dict[str, list[str]]:
    engine = open_database(book.copy_of(path, copy))
    book.play_all(engine, tournament)
    found = book.rows(engine)
    engine.dispose()
    return found


@pytest.mark.parametrize(
    ("position", "point", "finished"),
    [
        (0, "leased", 0),
        (0, "inside", 0),
        (0, "committed", 1),
        (5, "leased", 5),
        (5, "inside", 5),
        (11, "committed", 12),
    ],
)
def test_a_killed_writer_loses_nothing_and_what_goes_on_ends_the_same(
    path: Path, tmp_path: Path, position: int, point: str, finished: int
) -> None:
    tournament = planned(path)
    expected = uninterrupted(path, tournament, tmp_path / "whole.db")
    with start(path, tournament, position, point) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "stopped\n"
        writer.kill()
        writer.communicate()
    engine = open_database(path)
    assert check(engine) == []
    with write(engine) as session:
        assert progress(session, tournament).finished == finished
        release(session, tournament_id=tournament)
    assert book.play_all(engine, tournament) == 12 - finished
    assert book.rows(engine) == expected
    assert check(engine) == []
    engine.dispose()


def test_two_writers_share_a_tournament_without_losing_or_doubling_a_match(path: Path, tmp_path: Path) -> None:
    tournament = planned(path)
    expected = uninterrupted(path, tournament, tmp_path / "whole.db")
    writers = [start(path, tournament, worker=name) for name in ("w1", "w2")]
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], errors
    engine = open_database(path)
    assert check(engine) == []
    assert book.rows(engine) == expected
    with read(engine) as session:
        assert progress(session, tournament) == Progress(planned=0, leased=0, finished=12, void=0)
        assert len(session.exec(select(Attempt)).all()) == 12
    engine.dispose()
