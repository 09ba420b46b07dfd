from __future__ import annotations

import math

import pytest
from sqlalchemy import select

from ratings.ledger.check import check
from ratings.ledger.entry import LeasedMatch
from ratings.ledger.pools import PoolKey
from ratings.read.matches import match_detail
from ratings.statistics.skill import Skill, SkillSettings, newcomer, rate, successor
from ratings.store import tables
from ratings.store.database import Database as Engine
from ratings.store.database import read, write
from ratings.store.models import Verdict
from tests.ratings import book

SETTINGS = SkillSettings()
NEW = newcomer(SETTINGS)


def skills(engine: Engine) -> dict[str, Skill]:
    with read(engine) as session:
        query = select(tables.rating.c.version_id, tables.rating.c.mu, tables.rating.c.sigma)
        return {version: Skill(mu, sigma) for version, mu, sigma in session.connection().execute(query)}


def verdicts(engine: Engine) -> list[str]:
    with read(engine) as session:
        order = select(tables.rating_order.c.verdict).order_by(tables.rating_order.c.rating_seq)
        return list(session.connection().execute(order).scalars())


def names(match: LeasedMatch) -> list[str]:
    return [seat.version_id for seat in match.seats]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_matches_of_any_number_of_seats_are_rated_by_trueskill(engine: Engine, seats: int) -> None:
    bots = book.add_bots(engine, ("ada", "bob", "cyd", "dan", "eve")[:seats])
    blocks = book.singles(bots.values(), seats)
    match = book.take(engine, book.create(engine, bots.values(), seats, blocks=blocks))[0]
    ranks = (1, 2, 2, 4, 5)[:seats]
    book.record(engine, match, ranks=ranks)
    assert skills(engine) == dict(zip(names(match), rate(SETTINGS, [NEW] * seats, ranks), strict=True))


def test_a_change_remembers_before_and_after_of_every_seat(engine: Engine, singles: str) -> None:
    first, second = book.take(engine, singles, 2)
    book.record(engine, first, ranks=(1, 2, 3))
    middle = skills(engine)
    book.record(engine, second, ranks=(1, 1, 1))
    with read(engine) as session:
        seats = match_detail(session, second.match_id).seats
    for row in seats:
        assert row.change is not None
        assert Skill(row.change.mu_before, row.change.sigma_before) == middle[row.version.id]
        assert Skill(row.change.mu_after, row.change.sigma_after) == skills(engine)[row.version.id]
        assert row.change.rating_seq == 2


def test_nothing_is_rated_before_all_earlier_matches_are_over(engine: Engine, tournament: str) -> None:
    first, second, third = book.take(engine, tournament, 3)
    book.record(engine, third)
    book.record(engine, second)
    assert verdicts(engine) == []
    book.record(engine, first)
    assert verdicts(engine) == [Verdict.RATED] * 3
    assert check(engine) == []


def test_a_void_match_voids_its_block_and_does_not_hold_up_the_others(engine: Engine, tournament: str) -> None:
    first, *others = book.take(engine, tournament)[:6]
    for match in others:
        book.record(engine, match)
    with write(engine) as session:
        book.lose(session, tournament, first)
    assert verdicts(engine) == [Verdict.VOID, Verdict.VOID_BLOCK, Verdict.VOID_BLOCK, *[Verdict.RATED] * 3]
    assert check(engine) == []


def test_nothing_is_rated_before_its_block_is_whole(engine: Engine, tournament: str) -> None:
    first, second, third, fourth = book.take(engine, tournament, 4)
    for match in (first, second, fourth):
        book.record(engine, match)
    assert verdicts(engine) == []
    book.record(engine, third)
    assert verdicts(engine) == [Verdict.RATED] * 3
    assert check(engine) == []


def test_many_blocks_that_become_whole_at_once_are_all_rated(engine: Engine, bots: dict[str, str]) -> None:
    blocks = [book.rotations(index, list(bots.values())[:3]) for index in range(50)]
    first, *others = book.take(engine, book.create(engine, bots.values(), blocks=blocks))
    for match in others:
        book.record(engine, match)
    assert verdicts(engine) == []
    book.record(engine, first)
    assert verdicts(engine) == [Verdict.RATED] * 150
    assert check(engine) == []


def test_a_match_whose_result_says_so_is_not_rated(engine: Engine, singles: str) -> None:
    first, second = book.take(engine, singles, 2)
    book.record(engine, first, rated=False, ranks=(1, 1, 1))
    assert (verdicts(engine), skills(engine)) == ([Verdict.UNRATED], {})
    book.record(engine, second)
    assert verdicts(engine) == [Verdict.UNRATED, Verdict.RATED]


def test_a_match_that_is_not_rated_voids_its_block_as_the_official_table_has_it(
    engine: Engine, tournament: str
) -> None:
    first, *others = book.take(engine, tournament)[:6]
    for match in others:
        book.record(engine, match)
    book.record(engine, first, rated=False, ranks=(1, 1, 1))
    assert verdicts(engine) == [Verdict.UNRATED, Verdict.VOID_BLOCK, Verdict.VOID_BLOCK, *[Verdict.RATED] * 3]
    assert check(engine) == []


def test_an_unrated_tournament_rates_nothing(engine: Engine, bots: dict[str, str]) -> None:
    book.play_all(engine, book.create(engine, bots.values(), rated=False))
    assert book.count(engine, "rating_order") == book.count(engine, "rating") == 0
    assert check(engine) == []


@pytest.mark.parametrize(("allowed", "verdict"), [(False, Verdict.SAME_OWNER), (True, Verdict.RATED)])
def test_bots_of_one_registered_owner_do_not_rate_each_other_unless_told(
    engine: Engine, allowed: bool, verdict: Verdict
) -> None:
    bots = {**book.add_bots(engine, ("ada", "bob"), owner="lovelace"), **book.add_bots(engine, ["cyd"])}
    book.play_all(engine, book.create(engine, bots.values(), rates_same_owner=allowed))
    assert verdicts(engine) == [verdict] * 3
    assert check(engine) == []


def test_bots_without_an_owner_and_bots_of_different_owners_rate_each_other(engine: Engine) -> None:
    bots = {**book.add_bots(engine, ("ada",), owner="lovelace"), **book.add_bots(engine, ("bob", "cyd"))}
    book.play_all(engine, book.create(engine, bots.values()))
    assert verdicts(engine) == [Verdict.RATED] * 3


def test_a_forfeited_match_is_rated_by_its_ranks(engine: Engine, singles: str) -> None:
    match = book.take(engine, singles, 1)[0]
    book.record(engine, match, ranks=(3, 1, 2), forfeits=(0, 2), by_rules=False)
    assert skills(engine) == dict(zip(names(match), rate(SETTINGS, [NEW] * 3, (3, 1, 2)), strict=True))


def test_a_new_version_starts_from_its_predecessors_mu_with_a_wider_sigma(
    engine: Engine, bots: dict[str, str], tournament: str
) -> None:
    book.play_all(engine, tournament)
    before = skills(engine)
    second = book.add_successor(engine, "ada")
    entrants = [second, bots["bob"], bots["cyd"]]
    match = book.take(engine, book.create(engine, entrants, blocks=book.singles(entrants)))[0]
    book.record(engine, match)
    with read(engine) as session:
        started = {row.version.id: row.change for row in match_detail(session, match.match_id).seats}[second]
    assert started is not None
    assert Skill(started.mu_before, started.sigma_before) == successor(SETTINGS, before[bots["ada"]])
    assert started.sigma_before > before[bots["ada"]].sigma
    assert skills(engine)[bots["ada"]] == before[bots["ada"]]
    assert check(engine) == []


def test_a_new_version_whose_predecessor_is_not_rated_there_is_a_newcomer(engine: Engine, bots: dict[str, str]) -> None:
    second = book.add_successor(engine, "ada")
    entrants = [second, bots["ada"], bots["cyd"]]
    match = book.take(engine, book.create(engine, entrants, blocks=book.singles(entrants)))[0]
    book.record(engine, match)
    with read(engine) as session:
        changes = [row.change for row in match_detail(session, match.match_id).seats]
    assert all(change is not None and (change.mu_before, change.sigma_before) == NEW for change in changes)


def test_pools_are_rated_apart(engine: Engine, bots: dict[str, str]) -> None:
    book.play_all(engine, book.create(engine, bots.values(), seats=2))
    book.play_all(engine, book.create(engine, bots.values(), seats=3))
    assert book.count(engine, "rating") == 8
    assert check(engine) == []


def test_tournaments_of_one_pool_are_rated_as_their_matches_came(engine: Engine, bots: dict[str, str]) -> None:
    one, two = (book.create(engine, bots.values()) for _ in range(2))
    for first, second in zip(book.take(engine, one), book.take(engine, two), strict=True):
        book.record(engine, first)
        book.record(engine, second)
    assert len(verdicts(engine)) == 24
    assert check(engine) == []


def test_ratings_far_beyond_double_precision_are_rated_and_rebuilt_the_same(
    engine: Engine, bots: dict[str, str]
) -> None:
    wild = SkillSettings(mu=1e6, sigma=1e6, beta=1e-3)
    far = book.create(engine, bots.values(), pool=PoolKey("far", "1", 3), skill=wild)
    book.play_all(engine, far)
    assert all(math.isfinite(mu) and sigma > 0 for mu, sigma in skills(engine).values())
    assert check(engine) == []
