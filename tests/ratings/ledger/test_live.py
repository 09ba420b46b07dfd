from __future__ import annotations

import math

import pytest
from sqlalchemy import select

from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.pools import pool_of
from ratings.read.matches import match_detail
from ratings.statistics.skill import Skill, SkillSettings, newcomer, rate, successor
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.sessions import read, write
from ratings.values.states import RatingVerdict
from tests.ratings import book

SETTINGS = SkillSettings()
NEW = newcomer(SETTINGS)


def skills(database: Database) -> dict[str, Skill]:
    with read(database) as session:
        query = select(tables.rating.c.version_id, tables.rating.c.mu, tables.rating.c.sigma)
        return {version: Skill(mu, sigma) for version, mu, sigma in session.connection().execute(query)}


def verdicts(database: Database) -> list[str]:
    with read(database) as session:
        order = select(tables.rating_order.c.verdict).order_by(tables.rating_order.c.rating_seq)
        return list(session.connection().execute(order).scalars())


def names(match: LeasedMatch) -> list[str]:
    return [seat.version_id for seat in match.seats]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_matches_of_any_number_of_seats_are_rated_by_trueskill(database: Database, seats: int) -> None:
    bots = book.add_bots(database, ("ada", "bob", "cyd", "dan", "eve")[:seats])
    blocks = book.singles(bots.values(), seats)
    match = book.take(database, book.create(database, bots.values(), seats, blocks=blocks))[0]
    ranks = (1, 2, 2, 4, 5)[:seats]
    book.record(database, match, ranks=ranks)
    assert skills(database) == dict(zip(names(match), rate(SETTINGS, [NEW] * seats, ranks), strict=True))


@pytest.mark.both_databases
def test_points_and_firsts_of_a_rating_are_those_of_its_matches(database: Database, singles: str) -> None:
    # Two points for everybody a seat was before, and one for everybody it shares a rank with.
    played = {(1, 2, 3): (4, 2, 0), (1, 1, 3): (3, 3, 0), (2, 1, 2): (1, 4, 1), (1, 1, 1): (2, 2, 2)}
    expected: dict[str, list[int]] = {}
    for match, (ranks, points) in zip(book.take(database, singles, 4), played.items(), strict=True):
        book.record(database, match, ranks=ranks)
        for version, rank, gained in zip(names(match), ranks, points, strict=True):
            told = expected.setdefault(version, [0] * 5)
            told[0], told[4] = told[0] + 1, told[4] + gained
            told[ranks.count(1)] += rank == 1  # alone, shared with one of two others, a draw of all
    with read(database) as session:
        row = tables.rating.c
        query = select(row.version_id, row.matches, row.wins, row.shared, row.draws, row.points)
        found = session.connection().execute(query).all()
    assert {version: counts for version, *counts in found} == expected


def test_a_change_remembers_before_and_after_of_every_seat(database: Database, singles: str) -> None:
    first, second = book.take(database, singles, 2)
    book.record(database, first, ranks=(1, 2, 3))
    middle = skills(database)
    book.record(database, second, ranks=(1, 1, 1))
    seats = match_detail(database, second.match_id).seats
    for row in seats:
        assert row.change is not None
        assert Skill(row.change.mu_before, row.change.sigma_before) == middle[row.version.id]
        assert Skill(row.change.mu_after, row.change.sigma_after) == skills(database)[row.version.id]
        assert row.change.rating_seq == 2


def test_nothing_is_rated_before_all_earlier_matches_are_over(database: Database, tournament: str) -> None:
    first, second, third = book.take(database, tournament, 3)
    book.record(database, third)
    book.record(database, second)
    assert verdicts(database) == []
    book.record(database, first)
    assert verdicts(database) == [RatingVerdict.RATED] * 3
    assert check(database) == []


def test_a_void_match_voids_its_block_and_does_not_hold_up_the_others(database: Database, tournament: str) -> None:
    first, *others = book.take(database, tournament)[:6]
    for match in others:
        book.record(database, match)
    with write(database) as session:
        book.lose(session, tournament, first)
    assert verdicts(database) == [
        RatingVerdict.VOID,
        RatingVerdict.VOID_BLOCK,
        RatingVerdict.VOID_BLOCK,
        *[RatingVerdict.RATED] * 3,
    ]
    assert check(database) == []


def test_nothing_is_rated_before_its_block_is_whole(database: Database, tournament: str) -> None:
    first, second, third, fourth = book.take(database, tournament, 4)
    for match in (first, second, fourth):
        book.record(database, match)
    assert verdicts(database) == []
    book.record(database, third)
    assert verdicts(database) == [RatingVerdict.RATED] * 3
    assert check(database) == []


def test_many_blocks_that_become_whole_at_once_are_all_rated(database: Database, bots: dict[str, str]) -> None:
    blocks = [book.rotations(index, list(bots.values())[:3]) for index in range(24)]
    first, *others = book.take(database, book.create(database, bots.values(), blocks=blocks))
    for match in others:
        book.record(database, match)
    assert verdicts(database) == []
    book.record(database, first)
    assert verdicts(database) == [RatingVerdict.RATED] * 72
    assert check(database) == []


@pytest.mark.both_databases
def test_a_match_whose_result_says_so_is_not_rated(database: Database, singles: str) -> None:
    first, second = book.take(database, singles, 2)
    book.record(database, first, rated=False, ranks=(1, 1, 1))
    assert (verdicts(database), skills(database)) == ([RatingVerdict.UNRATED], {})
    book.record(database, second)
    assert verdicts(database) == [RatingVerdict.UNRATED, RatingVerdict.RATED]


def test_a_match_that_is_not_rated_voids_its_block_as_the_official_table_has_it(
    database: Database, tournament: str
) -> None:
    first, *others = book.take(database, tournament)[:6]
    for match in others:
        book.record(database, match)
    book.record(database, first, rated=False, ranks=(1, 1, 1))
    assert verdicts(database) == [
        RatingVerdict.UNRATED,
        RatingVerdict.VOID_BLOCK,
        RatingVerdict.VOID_BLOCK,
        *[RatingVerdict.RATED] * 3,
    ]
    assert check(database) == []


def test_an_unrated_tournament_rates_nothing(database: Database, bots: dict[str, str]) -> None:
    book.play_all(database, book.create(database, bots.values(), rated=False))
    assert book.count(database, "rating_order") == book.count(database, "rating") == 0
    assert check(database) == []


@pytest.mark.parametrize(("allowed", "verdict"), [(False, RatingVerdict.SAME_OWNER), (True, RatingVerdict.RATED)])
def test_bots_of_one_registered_owner_do_not_rate_each_other_unless_told(
    database: Database, allowed: bool, verdict: RatingVerdict
) -> None:
    bots = {**book.add_bots(database, ("ada", "bob"), owner="lovelace"), **book.add_bots(database, ["cyd"])}
    book.play_all(database, book.create(database, bots.values(), rates_same_owner=allowed))
    assert verdicts(database) == [verdict] * 3
    assert check(database) == []


def test_bots_without_an_owner_and_bots_of_different_owners_rate_each_other(database: Database) -> None:
    bots = {**book.add_bots(database, ("ada",), owner="lovelace"), **book.add_bots(database, ("bob", "cyd"))}
    book.play_all(database, book.create(database, bots.values()))
    assert verdicts(database) == [RatingVerdict.RATED] * 3


def test_a_forfeited_match_is_rated_by_its_ranks(database: Database, singles: str) -> None:
    match = book.take(database, singles, 1)[0]
    book.record(database, match, ranks=(3, 1, 2), forfeits=(0, 2), by_rules=False)
    assert skills(database) == dict(zip(names(match), rate(SETTINGS, [NEW] * 3, (3, 1, 2)), strict=True))


@pytest.mark.usefixtures("all_played")
def test_a_new_version_starts_from_its_predecessors_mu_with_a_wider_sigma(
    database: Database, bots: dict[str, str], tournament: str
) -> None:
    before = skills(database)
    second = book.add_successor(database, "ada")
    entrants = [second, bots["bob"], bots["cyd"]]
    match = book.take(database, book.create(database, entrants, blocks=book.singles(entrants)))[0]
    book.record(database, match)
    started = {row.version.id: row.change for row in match_detail(database, match.match_id).seats}[second]
    assert started is not None
    assert Skill(started.mu_before, started.sigma_before) == successor(SETTINGS, before[bots["ada"]])
    assert started.sigma_before > before[bots["ada"]].sigma
    assert skills(database)[bots["ada"]] == before[bots["ada"]]
    assert check(database) == []


def test_a_new_version_whose_predecessor_is_not_rated_there_is_a_newcomer(
    database: Database, bots: dict[str, str]
) -> None:
    second = book.add_successor(database, "ada")
    entrants = [second, bots["ada"], bots["cyd"]]
    match = book.take(database, book.create(database, entrants, blocks=book.singles(entrants)))[0]
    book.record(database, match)
    changes = [row.change for row in match_detail(database, match.match_id).seats]
    assert all(change is not None and (change.mu_before, change.sigma_before) == NEW for change in changes)


def test_pools_are_rated_apart(database: Database, bots: dict[str, str]) -> None:
    book.play_all(database, book.create(database, bots.values(), seats=2))
    book.play_all(database, book.create(database, bots.values(), seats=3))
    assert book.count(database, "rating") == 8
    assert check(database) == []


def test_tournaments_of_one_pool_are_rated_as_their_matches_came(database: Database, bots: dict[str, str]) -> None:
    one, two = (book.create(database, bots.values()) for _ in range(2))
    for first, second in zip(book.take(database, one), book.take(database, two), strict=True):
        book.record(database, first)
        book.record(database, second)
    assert len(verdicts(database)) == 24
    assert check(database) == []


def test_ratings_far_beyond_double_precision_are_rated_and_rebuilt_the_same(
    database: Database, bots: dict[str, str]
) -> None:
    wild = SkillSettings(mu=1e6, sigma=1e6, beta=1e-3)
    far = book.create(database, bots.values(), pool=pool_of("far", "1", 3), skill=wild)
    book.play_all(database, far)
    assert all(math.isfinite(mu) and sigma > 0 for mu, sigma in skills(database).values())
    assert check(database) == []
