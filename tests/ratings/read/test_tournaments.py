"""Tournaments that are found, listed, unfinished, and how long their matches take."""

from __future__ import annotations

import pytest

from ratings.errors import AmbiguousError, NotFoundError
from ratings.ledger.ledger import Ledger
from ratings.read import tournaments
from ratings.read.planning import mean_duration
from ratings.read.tournaments import present_entrants, unfinished_tournaments
from ratings.statistics.scores import Firsts
from ratings.store.database import Database
from tests.ratings import book

pytestmark = pytest.mark.both_databases


def test_tournaments_are_listed_the_newest_first_with_their_state(database: Database, bots: dict[str, str]) -> None:
    done, stopped, fresh = (book.create(database, bots.values(), name=name) for name in ("one", "two", "three"))
    book.play_all(database, done)
    book.record(database, book.take(database, stopped, 1)[0])
    rows = tournaments.list_tournaments(database).items
    assert [(row.tournament.name, row.status) for row in rows] == [
        ("three", "planned"),
        ("two", "running"),
        ("one", "finished"),
    ]
    for row in rows:
        assert tournaments.tournament_row(database, row.tournament.id) == row
        assert row.pool.game == "foreign_king"
    assert {row.tournament.id for row in rows} == {done, stopped, fresh}


def test_a_tournament_is_named_by_id_part_of_it_or_name(database: Database, bots: dict[str, str]) -> None:
    one, two = (book.create(database, bots.values(), name=name) for name in ("autumn", "winter"))
    for text in (one, one[-8:], one[-11:-2], "autumn"):
        assert tournaments.find_tournament(database, text).id == one
    assert tournaments.find_tournament(database, "winter").id == two
    with pytest.raises(AmbiguousError, match=rf"fits 2 tournaments: .*winter \({two}\).*; give more digits"):
        tournaments.find_tournament(database, one[:4])
    for nothing in ("", "aut", "spring", "%"):
        with pytest.raises(NotFoundError, match="arena tournament list"):
            tournaments.find_tournament(database, nothing)


def test_two_tournaments_of_one_name_need_the_id(database: Database, bots: dict[str, str]) -> None:
    for _ in range(2):
        book.create(database, bots.values(), name="autumn")
    with pytest.raises(AmbiguousError, match=r"fits 2 tournaments: autumn \(.+\), autumn \(.+\); give its id"):
        tournaments.find_tournament(database, "autumn")


def test_standings_count_wins_scores_and_forfeits(database: Database) -> None:
    bots = book.add_bots(database, ("ada", "bob", "cyd"))
    tournament = book.create(database, bots.values())
    for match in book.take(database, tournament):
        rank = {"ada": 1, "bob": 2, "cyd": 2}
        forfeits = [seat for seat, who in enumerate(match.seats) if who.bot == "cyd" and match.position == 0]
        book.record(database, match, ranks=tuple(rank[seat.bot] for seat in match.seats), forfeits=tuple(forfeits))
    rows = tournaments.standings(database, tournament)
    assert [(row.bot, row.matches, row.firsts, row.score, row.forfeits) for row in rows] == [
        ("ada", 3, Firsts(wins=3), 1.0, 0),
        ("bob", 3, Firsts(), 0.25, 0),
        ("cyd", 3, Firsts(), 0.25, 1),
    ]


def test_standings_of_a_tournament_not_begun_are_in_the_order_of_entry(database: Database, tournament: str) -> None:
    rows = tournaments.standings(database, tournament)
    assert [row.bot for row in rows] == ["ada", "bob", "cyd", "dan"]
    assert {(row.matches, row.score) for row in rows} == {(0, 0.0)}


def test_what_is_left_to_play_is_neither_over_nor_cancelled(database: Database, bots: dict[str, str]) -> None:
    done, cancelled, begun, fresh = (book.create(database, bots.values(), name=name) for name in "abcd")
    book.play_all(database, done)
    Ledger(database).cancel(cancelled)
    book.record(database, book.take(database, begun, 1)[0])
    assert [one.id for one in unfinished_tournaments(database)] == [begun, fresh]
    assert [one.name for one in unfinished_tournaments(database)] == ["c", "d"]


def test_present_is_who_has_not_withdrawn_in_the_order_of_entry(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values())
    first, *others = bots.values()
    Ledger(database).withdraw(tournament, first, "left")
    assert present_entrants(database, tournament) == tuple(others)


POOL = book.plan((), seats=2).pool.pool_id


def play(database: Database, one: str, other: str, times: int, duration_us: int) -> None:
    blocks = [book.rotations(index, [one, other]) for index in range(times)]
    for match in book.take(database, book.create(database, (one, other), 2, blocks=blocks)):
        book.record(database, match, duration_us=duration_us)


def test_every_version_counts_alike_however_much_it_has_played(database: Database, bots: dict[str, str]) -> None:
    ada, bob, cyd, dan = bots.values()
    assert mean_duration(database, POOL, {ada, bob}) == (0, 0)
    play(database, ada, bob, times=9, duration_us=100)
    play(database, cyd, dan, times=1, duration_us=1100)
    assert mean_duration(database, POOL, bots.values()) == (20, 600)  # and not 200, as the 20 matches have it
    assert mean_duration(database, POOL, {ada, bob, cyd}) == (18, 100)
