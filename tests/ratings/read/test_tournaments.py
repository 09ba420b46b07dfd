from __future__ import annotations

import pytest

from ratings.errors import AmbiguousError, NotFoundError
from ratings.read import tournaments
from ratings.statistics.firsts import Firsts
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
