from __future__ import annotations

import itertools

import pytest

from ratings.errors import NotFoundError
from ratings.ledger.bots import set_disabled
from ratings.read import leaderboard
from ratings.read.leaderboard import leaderboards, pools, table
from ratings.store.database import Database as Engine
from ratings.store.database import read, write
from tests.ratings import book

POOL_ID = book.POOL.pool_id()


def test_the_best_exposure_comes_first_and_all_figures_agree(engine: Engine) -> None:
    bots = {**book.add_bots(engine, ("ada", "bob"), owner=None), **book.add_bots(engine, ("cyd",), owner="hopper")}
    for match in book.take(engine, book.create(engine, bots.values())):
        rank = {"ada": 2, "bob": 3, "cyd": 1}
        book.record(engine, match, ranks=tuple(rank[seat.bot] for seat in match.seats))
    with write(engine) as session:
        set_disabled(session, bot="bob", disabled=True)
    with read(engine) as session:
        rows = leaderboard.table(session, pool_id=POOL_ID)
        assert leaderboard.table(session, pool_id=POOL_ID, limit=2) == rows[:2]
    assert [(row.rank, row.bot, row.owner, row.wins, row.score, row.disabled) for row in rows] == [
        (1, "cyd", "hopper", 3, 1.0, False),
        (2, "ada", None, 0, 0.5, False),
        (3, "bob", None, 0, 0.0, True),
    ]
    assert all(row.exposure == row.mu - 3 * row.sigma and row.matches == 3 for row in rows)


def test_equals_share_a_rank_and_stand_by_name(engine: Engine) -> None:
    bots = book.add_bots(engine, ("bob", "ada"))
    blocks = book.singles(bots.values(), 2)
    match = book.take(engine, book.create(engine, bots.values(), 2, blocks=blocks), 1)[0]
    book.record(engine, match, ranks=(1, 1))
    with read(engine) as session:
        (pool,) = leaderboard.pools(session)
        rows = leaderboard.table(session, pool_id=pool.pool.id)
    assert [(row.rank, row.bot, row.score) for row in rows] == [(1, "ada", 0.5), (1, "bob", 0.5)]


def test_pools_in_which_something_was_rated_are_listed_the_busiest_first(engine: Engine, bots: dict[str, str]) -> None:
    book.play_all(engine, book.create(engine, bots.values(), seats=2))
    book.play_all(engine, book.create(engine, bots.values(), seats=3))
    book.create(engine, bots.values(), seats=4)
    with read(engine) as session:
        assert [(row.pool.seats, row.versions, row.matches) for row in leaderboard.pools(session)] == [
            (3, 4, 12),
            (2, 4, 8),
        ]


def test_a_history_has_every_change_in_the_order_of_rating(
    engine: Engine, bots: dict[str, str], tournament: str
) -> None:
    book.play_all(engine, tournament)
    with read(engine) as session:
        changes = leaderboard.history(session, pool_id=POOL_ID, version_id=bots["ada"])
        (row,) = [row for row in leaderboard.table(session, pool_id=POOL_ID) if row.bot == "ada"]
    assert len(changes) == row.matches == 9
    assert [change.rating_seq for change in changes] == sorted(change.rating_seq for change in changes)
    assert all(one.mu_after == two.mu_before for one, two in itertools.pairwise(changes))
    assert (changes[0].mu_before, changes[-1].mu_after) == (25.0, row.mu)


def test_an_unknown_pool_is_said(engine: Engine) -> None:
    with read(engine) as session, pytest.raises(NotFoundError, match="no pool nothing"):
        leaderboard.table(session, pool_id="nothing")


def test_the_leaderboards_of_all_pools_and_of_those_named(engine: Engine, bots: dict[str, str]) -> None:
    for seats in (2, 3):
        book.play_all(engine, book.create(engine, list(bots.values())[:3], seats=seats))
    every = leaderboards(engine)
    assert [board.row for board in every] == pools(engine)
    for board in every:
        assert board.table == table(engine, pool_id=board.row.pool.id)
    (one,) = leaderboards(engine, [every[1].row.pool.id], limit=1)
    assert (one.row, one.table) == (every[1].row, every[1].table[:1])
