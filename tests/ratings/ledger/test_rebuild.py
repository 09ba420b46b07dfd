"""Ratings computed anew in pieces: others write in between, a kill loses nothing, the end is what facts give."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from sqlmodel import col, select

from ratings.ledger import rebuild
from ratings.ledger.annulments import annul_match, annul_version
from ratings.ledger.check import check
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.leaderboard import leaderboards
from ratings.store.database import Database, open_database
from ratings.store.models import MatchRecord, PoolRecord
from ratings.store.sessions import read, write
from tests.ratings import book

KILLED_AFTER_ONE_PIECE = """
import os, signal, sys
from ratings.ledger import rebuild
from ratings.store.database import open_database

rebuild.PIECE = 3
looks = iter((False, True))
rebuild.finish(
    open_database(sys.argv[1]), sys.argv[2], lambda: next(looks) and os.kill(os.getpid(), signal.SIGKILL)
)
"""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "PIECE", 2)


@pytest.fixture
def pool(database: Database, all_played: None) -> str:
    """A pool in which twelve matches were rated."""
    with read(database) as session:
        return session.exec(select(PoolRecord.id)).one()


def matches_of(database: Database) -> list[str]:
    with read(database) as session:
        return list(session.exec(select(MatchRecord.id).order_by(MatchRecord.tournament_id, col(MatchRecord.position))))


def annul(database: Database, match_id: str) -> None:
    """Annul a match, and leave the ratings as they are."""
    with write(database) as session:
        annul_match(session, match_id, why="a broken clock", actor="operator")


def after(count: int) -> Callable[[], bool]:
    """Stop after so many pieces."""
    looks: Iterator[bool] = iter([False] * count + [True])
    return lambda: next(looks)


def behind(database: Database) -> int:
    (board,) = leaderboards(database).items
    return board.behind


def check_is_sound(database: Database) -> None:
    """The ratings are those of a whole rebuild."""
    assert check(database) == []
    names = ("rating", "rating_change", "pending_rating")
    before = book.rows(database, *names)
    Ledger(database).rebuild()
    assert book.rows(database, *names) == before


def test_piece_by_piece_the_leaderboard_tells_how_much_is_left(database: Database, pool: str) -> None:
    assert behind(database) == 0
    annul(database, matches_of(database)[4])
    left = [behind(database)]
    while not rebuild.finish(database, pool, after(1)):
        left.append(behind(database))
        assert check(database) == [f"pool {pool[:12]}: {rebuild.UNFINISHED}"] or left[-1] == 0
    assert left == [9, 7, 5, 3, 1, 0]
    check_is_sound(database)


def test_what_is_played_meanwhile_is_rated_when_its_turn_comes(
    database: Database, pool: str, bots: dict[str, str]
) -> None:
    second = book.create(database, bots.values(), name="second")
    leased = book.take(database, second)
    annul(database, matches_of(database)[0])
    for count in (1, 2, 1):
        assert not rebuild.finish(database, pool, after(count))
        for match in [leased.pop(0) for _ in range(3)]:
            book.record(database, match)
    assert rebuild.finish(database, pool)
    for match in leased:
        book.record(database, match)
    check_is_sound(database)


@pytest.mark.both_databases
@pytest.mark.parametrize(("which", "pieces_before"), [(0, 0), (0, 1), (4, 3), (10, 4)])
def test_who_annuls_another_match_meanwhile_is_heard(
    database: Database, pool: str, pieces_before: int, which: int
) -> None:
    every = matches_of(database)
    annul(database, every[3])
    rebuild.finish(database, pool, after(pieces_before))
    annul(database, every[which])
    assert rebuild.finish(database, pool)
    check_is_sound(database)


@pytest.mark.both_databases
def test_a_piece_that_was_computed_before_another_annulment_is_not_written(
    database: Database, pool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    every, compute = matches_of(database), rebuild._compute
    annul(database, every[0])

    def compute_and_be_overtaken(*words: object) -> object:
        monkeypatch.setattr(rebuild, "_compute", compute)
        piece = compute(*words)  # type: ignore[arg-type]
        annul(database, every[3])
        return piece

    monkeypatch.setattr(rebuild, "_compute", compute_and_be_overtaken)
    assert rebuild.finish(database, pool)
    check_is_sound(database)


@pytest.mark.both_databases
@pytest.mark.needs("minutes")  # the service's test below stops there, too
@pytest.mark.host_fault("killed-while-matches-are-annulled")
def test_after_kill_9_the_rest_is_done(database: Database, pool: str) -> None:
    annul(database, matches_of(database)[0])
    words = [sys.executable, "-c", KILLED_AFTER_ONE_PIECE, database.url.render_as_string(hide_password=False), pool]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    assert behind(database) == 9
    assert rebuild.finish(database, pool)
    check_is_sound(database)


def test_a_piece_in_vain_is_computed_again_from_what_is_written(
    database: Database, pool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches, computed, original = matches_of(database), 0, rebuild._compute

    def annul_a_later_one(*arguments: object) -> object:
        nonlocal computed
        computed += 1
        piece = original(*arguments)  # type: ignore[arg-type]
        if computed == 2:
            annul(database, matches[-1])
        return piece

    annul(database, matches[0])
    monkeypatch.setattr(rebuild, "_compute", annul_a_later_one)
    assert rebuild.finish(database, pool)
    check_is_sound(database)


def test_the_service_rates_to_the_end_unless_it_is_to_stop(database: Database, pool: str) -> None:
    annul(database, matches_of(database)[0])
    service = ServiceLedger(database)
    assert not service.finish_ratings(pool, lambda: True)
    assert behind(database) > 0
    assert service.finish_ratings(pool)
    assert behind(database) == 0
    check_is_sound(database)


def test_a_rebuild_at_once_leaves_nothing_to_do(database: Database, pool: str) -> None:
    annul(database, matches_of(database)[0])
    assert Ledger(database).rebuild() == 9
    assert check(database) == []
    assert behind(database) == 0


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_between_the_pieces_the_book_is_sound_in_the_end(
    empty_file: Path, tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    database = open_database(book.copy_of(empty_file, tmp_path / "arena.db"))
    bots = list(book.add_bots(database, ("ada", "bob", "cyd", "dan")).values())
    second = [book.add_successor(database, "ada"), *bots[1:]]
    tournaments = [book.create(database, bots, name="one"), book.create(database, second, name="two")]
    every = matches_of(database)
    with read(database) as session:
        pool = session.exec(select(PoolRecord.id)).one()
    for _ in range(12):
        act = random.randrange(3)
        if act == 0:
            annul(database, random.choice(every))
        elif act == 1:
            for match in book.take(database, random.choice(tournaments), random.randint(1, 6)):
                book.record(database, match)
        else:
            rebuild.finish(database, pool, after(random.randint(1, 3)))
    if random.random() < 0.5:
        with write(database) as session:
            annul_version(session, random.choice([*bots, second[0]]), why="it cheated", actor="operator")
    rebuild.finish(database, pool)
    check_is_sound(database)
    database.close()
