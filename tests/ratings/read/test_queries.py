from __future__ import annotations

import pytest

from ratings.errors import AmbiguousError, NotFoundError
from ratings.read import queries
from ratings.store.database import Database as Engine
from ratings.store.database import read
from ratings.store.models import MatchState
from tests.ratings import book


def test_tournaments_are_listed_the_newest_first_with_their_state(engine: Engine, bots: dict[str, str]) -> None:
    done, stopped, fresh = (book.create(engine, bots.values(), name=name) for name in ("one", "two", "three"))
    book.play_all(engine, done)
    book.record(engine, book.take(engine, stopped, 1)[0])
    with read(engine) as session:
        rows = queries.list_tournaments(session)
        assert [(row.tournament.name, row.status) for row in rows] == [
            ("three", "planned"),
            ("two", "running"),
            ("one", "finished"),
        ]
        for row in rows:
            assert queries.tournament_row(session, row.tournament.id) == row
            assert row.pool.game == "foreign_king"
    assert {row.tournament.id for row in rows} == {done, stopped, fresh}


def test_a_tournament_is_named_by_id_part_of_it_or_name(engine: Engine, bots: dict[str, str]) -> None:
    one, two = (book.create(engine, bots.values(), name=name) for name in ("autumn", "winter"))
    with read(engine) as session:
        for text in (one, one[-8:], "autumn"):
            assert queries.resolve_tournament(session, text).id == one
        assert queries.resolve_tournament(session, "winter").id == two
        with pytest.raises(AmbiguousError, match="fits 2 tournaments; give more digits"):
            queries.resolve_tournament(session, one[:4])
        for nothing in ("", "aut", "spring", "%"):
            with pytest.raises(NotFoundError, match="arena tournament list"):
                queries.resolve_tournament(session, nothing)


def test_two_tournaments_of_one_name_need_the_id(engine: Engine, bots: dict[str, str]) -> None:
    for _ in range(2):
        book.create(engine, bots.values(), name="autumn")
    with read(engine) as session, pytest.raises(AmbiguousError, match="fits 2 tournaments; give its id"):
        queries.resolve_tournament(session, "autumn")


def test_a_match_is_named_by_its_id_or_part_of_it(engine: Engine, tournament: str) -> None:
    first, second = book.take(engine, tournament, 2)
    with read(engine) as session:
        for text in (first.match_id, first.match_id[-8:]):
            assert queries.resolve_match(session, text).id == first.match_id
        with pytest.raises(AmbiguousError):
            queries.resolve_match(session, first.match_id[:4])
        for nothing in ("", "%%%%", second.match_id + "0"):
            with pytest.raises(NotFoundError):
                queries.resolve_match(session, nothing)


def test_standings_count_wins_scores_and_forfeits(engine: Engine) -> None:
    bots = book.add_bots(engine, ("ada", "bob", "cyd"))
    tournament = book.create(engine, bots.values())
    for match in book.take(engine, tournament):
        rank = {"ada": 1, "bob": 2, "cyd": 2}
        forfeits = [seat for seat, who in enumerate(match.seats) if who.bot == "cyd" and match.position == 0]
        book.record(engine, match, ranks=tuple(rank[seat.bot] for seat in match.seats), forfeits=tuple(forfeits))
    with read(engine) as session:
        rows = queries.standings(session, tournament)
    assert [(row.bot, row.matches, row.wins, row.score, row.forfeits) for row in rows] == [
        ("ada", 3, 3, 1.0, 0),
        ("bob", 3, 0, 0.25, 0),
        ("cyd", 3, 0, 0.25, 1),
    ]


def test_standings_of_a_tournament_not_begun_are_in_the_order_of_entry(engine: Engine, tournament: str) -> None:
    with read(engine) as session:
        rows = queries.standings(session, tournament)
    assert [row.bot for row in rows] == ["ada", "bob", "cyd", "dan"]
    assert {(row.matches, row.score) for row in rows} == {(0, 0.0)}


def test_matches_are_listed_in_schedule_order_with_who_sat_where(engine: Engine, tournament: str) -> None:
    first, second = book.take(engine, tournament, 2)
    book.record(engine, second, ranks=(2, 1, 3))
    with read(engine) as session:
        rows = queries.list_matches(session, tournament)
        (finished,) = queries.list_matches(session, tournament, state=MatchState.FINISHED)
    assert [row.match.position for row in rows] == list(range(12))
    assert rows[0].seats == tuple((seat.bot, None) for seat in first.seats)
    assert finished.match.id == second.match_id
    assert finished.seats == tuple(zip((seat.bot for seat in second.seats), (2, 1, 3), strict=True))


def test_replays_come_in_schedule_order_and_only_of_finished_matches(
    engine: Engine, bots: dict[str, str], tournament: str
) -> None:
    other = book.create(engine, bots.values())
    book.play_all(engine, other)
    first, _, third = book.take(engine, tournament, 3)
    book.record(engine, third)
    book.record(engine, first)
    with read(engine) as session:
        found = [(match.id, data) for match, data in queries.replays(session, tournament)]
        assert len(list(queries.replays(session))) == 14
    assert found == [(match.match_id, b"replay of " + match.match_id.encode()) for match in (first, third)]


def test_what_is_not_there_is_said(engine: Engine, tournament: str) -> None:
    match = book.take(engine, tournament, 1)[0]
    with read(engine) as session:
        with pytest.raises(NotFoundError, match="is leased; only finished matches"):
            queries.replay_of(session, match.match_id)
        with pytest.raises(NotFoundError, match="no match nothing"):
            queries.replay_of(session, "nothing")
        with pytest.raises(NotFoundError, match="no match nothing"):
            queries.match_detail(session, "nothing")
        with pytest.raises(NotFoundError, match="no tournament nothing"):
            queries.tournament_row(session, "nothing")


def test_a_match_not_yet_played_has_seats_and_nothing_else(engine: Engine, tournament: str) -> None:
    match = book.take(engine, tournament, 1)[0]
    with read(engine) as session:
        detail = queries.match_detail(session, match.match_id)
    assert [row.bot for row in detail.seats] == [seat.bot for seat in match.seats]
    assert {(row.seat.rank, row.change) for row in detail.seats} == {(None, None)}
    assert (detail.match.details, detail.faults) == (None, [])
    assert (detail.tournament.id, detail.block.opening) == (tournament, [1, 2])
