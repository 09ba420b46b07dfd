from __future__ import annotations

import itertools
from functools import partial

import pytest

from ratings.errors import NotFoundError, PageError
from ratings.ledger.ledger import Ledger
from ratings.read import leaderboard, statistics
from ratings.read.leaderboard import leaderboards, pools, table
from ratings.store.database import Database
from tests.ratings import book

pytestmark = pytest.mark.both_databases

POOL_ID = book.POOL.pool_id


def test_the_best_exposure_comes_first_and_all_figures_agree(database: Database) -> None:
    bots = {**book.add_bots(database, ("ada", "bob"), owner=None), **book.add_bots(database, ("cyd",), owner="hopper")}
    for match in book.take(database, book.create(database, bots.values())):
        rank = {"ada": 2, "bob": 3, "hopper/cyd": 1}
        book.record(database, match, ranks=tuple(rank[seat.bot] for seat in match.seats))
    Ledger(database).set_disabled("bob", disabled=True)
    rows = leaderboard.table(database, pool_id=POOL_ID)
    assert leaderboard.table(database, pool_id=POOL_ID, limit=2) == rows[:2]
    assert [(row.rank, row.bot, row.owner, row.wins, row.score, row.disabled) for row in rows] == [
        (1, "hopper/cyd", "hopper", 3, 1.0, False),
        (2, "ada", None, 0, 0.5, False),
        (3, "bob", None, 0, 0.0, True),
    ]
    assert all(row.exposure == row.mu - 3 * row.sigma and row.matches == 3 for row in rows)


def test_equals_share_a_rank_and_stand_by_name(database: Database) -> None:
    bots = book.add_bots(database, ("bob", "ada"))
    blocks = book.singles(bots.values(), 2)
    match = book.take(database, book.create(database, bots.values(), 2, blocks=blocks), 1)[0]
    book.record(database, match, ranks=(1, 1))
    (pool,) = leaderboard.pools(database)
    rows = leaderboard.table(database, pool_id=pool.pool.pool_id)
    assert [(row.rank, row.bot, row.score) for row in rows] == [(1, "ada", 0.5), (1, "bob", 0.5)]


def test_pools_in_which_something_was_rated_are_listed_the_busiest_first(
    database: Database, bots: dict[str, str]
) -> None:
    book.play_all(database, book.create(database, bots.values(), seats=2))
    book.play_all(database, book.create(database, bots.values(), seats=3))
    book.create(database, bots.values(), seats=4)
    assert [(row.pool.seats, row.versions, row.matches) for row in leaderboard.pools(database)] == [
        (3, 4, 12),
        (2, 4, 8),
    ]


@pytest.mark.usefixtures("all_played")
def test_a_history_has_every_change_the_last_first(database: Database, bots: dict[str, str], tournament: str) -> None:
    history = partial(statistics.history, database, pool_id=POOL_ID, version_id=bots["ada"])
    changes = list(history().items)[::-1]
    first = history(limit=4)
    assert [*first.items, *history(limit=4, after=first.next).items] == changes[:0:-1]
    (row,) = [row for row in leaderboard.table(database, pool_id=POOL_ID) if row.bot == "ada"]
    assert len(changes) == row.matches == 9
    assert [change.rating_seq for change in changes] == sorted(change.rating_seq for change in changes)
    assert all(one.mu_after == two.mu_before for one, two in itertools.pairwise(changes))
    assert (changes[0].mu_before, changes[-1].mu_after) == (25.0, row.mu)


def test_an_unknown_pool_is_said(database: Database) -> None:
    with pytest.raises(NotFoundError, match="no pool nothing"):
        leaderboard.table(database, pool_id="nothing")


def test_the_leaderboards_of_all_pools_and_of_those_named(database: Database, bots: dict[str, str]) -> None:
    for seats in (2, 3):
        book.play_all(database, book.create(database, list(bots.values())[:3], seats=seats))
    every = leaderboards(database).items
    rated = pools(database)
    assert [(board.pool, board.matches) for board in every] == [(row.pool, row.matches) for row in rated]
    for board in every:
        assert list(board.table) == table(database, pool_id=board.pool.pool_id)
    (one,) = leaderboards(database, [rated[1]], limit=1).items
    assert (one.pool, one.table) == (every[1].pool, every[1].table[:1])


def test_every_leaderboard_goes_on_where_its_page_ended_with_the_same_ranks(
    database: Database, bots: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seats in (2, 3):
        book.play_all(database, book.create(database, list(bots.values())[:3], seats=seats))
    whole = leaderboards(database).items
    for board in whole:
        cut = next(one for one in leaderboards(database, limit=1).items if one.pool == board.pool)
        rows = list(cut.table)
        while cut.next is not None:
            (cut,) = leaderboards(database, limit=1, after=cut.next).items
            assert cut.pool == board.pool
            rows += cut.table
        assert rows == list(board.table)
    monkeypatch.setattr(leaderboard, "_MOST_ROWS", 2)
    first = leaderboards(database, limit=2)
    second = leaderboards(database, limit=2, after=first.next)
    assert [one.pool for one in (*first.items, *second.items)] == [one.pool for one in whole]
    assert second.next is None
    for cursor in ("nonsense", "WyJ4IiwxXQ"):
        with pytest.raises(PageError):
            leaderboards(database, after=cursor)
