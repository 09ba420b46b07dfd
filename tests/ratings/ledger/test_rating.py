"""Pools are named by what their matches have in common, and rated live in the order of the schedule."""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select as core_select
from sqlmodel import Session, select

from ratings.errors import AmbiguousError, FactError, NotFoundError
from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.rating import pool_for, pool_of, settings_of
from ratings.ledger.rebuild import rebuild
from ratings.ledger.recording import record_results
from ratings.read.leaderboard import leaderboards
from ratings.read.matches import match_detail
from ratings.read.pool_lookup import find_pool, pool_value
from ratings.statistics.skill import Skill, SkillSettings, newcomer, rate, successor
from ratings.store import tables
from ratings.store.database import Database, open_database
from ratings.store.models import PoolRecord
from ratings.store.sessions import read, write
from ratings.values.pools import RatingMethod
from ratings.values.states import RatingVerdict
from tests.ratings import book
from tests.ratings.book import pool_like

KEY = pool_of(game="chess", rules_version="1", seats=2, options={"b": 1, "a": [True, None]}, time_control="60+1")


@pytest.mark.both_databases
def test_a_pool_is_named_by_the_hash_of_its_canonical_json() -> None:
    canonical = (
        '{"cores":1,"game":"chess","options":{"a":[true,null],"b":1},"rules_version":"1","seats":2,'
        '"time_control":"60+1"}'
    )
    assert KEY.pool_id == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "change",
    [
        {"game": "go"},
        {"rules_version": "2"},
        {"seats": 3},
        {"options": {}},
        {"time_control": "none"},
        {"cores": 2},
        {"remote": True},
        {"rating_method": RatingMethod.OPENSKILL},
    ],
)
def test_every_part_of_the_key_makes_another_pool(change: dict[str, Any]) -> None:
    assert pool_like(KEY, **change).pool_id != KEY.pool_id


@pytest.mark.both_databases
def test_a_pool_from_before_there_were_remote_bots_keeps_its_name() -> None:
    # As `printf %s JSON | sha256sum` has it for the JSON that the arena wrote before.
    old = pool_of(game="foreign_king", rules_version="1", seats=3, time_control="50ms")
    assert old.pool_id == "591ff2b70d64db668dc0e0422baddfc01c88ff71607920ead4e36492cbb315d4"
    remote = (
        '{"cores":1,"game":"foreign_king","options":{},"remote":true,"rules_version":"1","seats":3,'
        '"time_control":"50ms"}'
    )
    assert pool_like(old, remote=True).pool_id == hashlib.sha256(remote.encode()).hexdigest()


@pytest.mark.both_databases
def test_a_pool_of_remote_bots_says_so(database: Database) -> None:
    with write(database) as session:
        assert pool_for(session, pool_like(KEY, remote=True)).remote
        assert not pool_for(session, KEY).remote


@pytest.mark.both_databases
def test_a_pool_from_before_there_were_rating_methods_keeps_its_name_and_another_has_its_own(
    database: Database,
) -> None:
    assert pool_like(KEY, rating_method=RatingMethod.TRUESKILL) == KEY
    other = pool_like(KEY, rating_method=RatingMethod.OPENSKILL)
    canonical = (
        '{"cores":1,"game":"chess","options":{"a":[true,null],"b":1},"rating_method":"openskill",'
        '"rules_version":"1","seats":2,"time_control":"60+1"}'
    )
    assert other.pool_id == hashlib.sha256(canonical.encode()).hexdigest()
    with write(database) as session:
        made = [pool_for(session, pool) for pool in (KEY, other)]
    assert [settings_of(pool).rating_method for pool in made] == list(RatingMethod)
    assert [pool_value(find_pool(database, pool.pool_id)) for pool in (KEY, other)] == [KEY, other]


@pytest.mark.both_databases
def test_the_order_of_options_makes_no_other_pool() -> None:
    assert pool_like(KEY, options={"a": [True, None], "b": 1}).pool_id == KEY.pool_id


@pytest.mark.both_databases
def test_a_pool_is_made_once_and_keeps_its_constants(database: Database) -> None:
    with write(database) as session:
        made = pool_for(session, KEY, SkillSettings(draw_probability=0.3))
        assert pool_for(session, KEY) is made
        assert settings_of(made) == SkillSettings(draw_probability=0.3)
        assert (made.options, made.game) == ({"a": [True, None], "b": 1}, "chess")


@pytest.mark.both_databases
def test_a_pool_is_found_by_any_part_of_its_id(database: Database) -> None:
    with write(database) as session:
        pool = pool_for(session, KEY)
        twin = {**pool.model_dump(), "id": pool.id[:10] + "x"}
        session.add(PoolRecord(**twin))
    for part in (pool.id[:11].upper(), pool.id[-6:], pool.id[5:20]):
        assert find_pool(database, part).id == pool.id
    with pytest.raises(AmbiguousError, match=f"fits 2 pools: .*{pool.id}.*; give more digits"):
        find_pool(database, pool.id[:8])
    for nothing in ("", "abc", "%%%%", "zzzz"):
        with pytest.raises(NotFoundError):
            find_pool(database, nothing)


SETTINGS = SkillSettings()
NEW = newcomer(SETTINGS)


def skills(database: Database) -> dict[str, Skill]:
    with read(database) as session:
        query = core_select(tables.rating.c.version_id, tables.rating.c.mu, tables.rating.c.sigma)
        return {version: Skill(mu, sigma) for version, mu, sigma in session.connection().execute(query)}


def verdicts(database: Database) -> list[str]:
    with read(database) as session:
        order = core_select(tables.rating_order.c.verdict).order_by(tables.rating_order.c.rating_seq)
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


OPEN = pool_like(book.POOL, rating_method=RatingMethod.OPENSKILL)


@pytest.mark.needs("openskill")
@pytest.mark.parametrize("backwards", [False, True])
def test_a_pool_of_openskill_is_rated_by_its_package_in_the_order_of_the_schedule(
    database: Database, *, backwards: bool
) -> None:
    from openskill.models import PlackettLuce

    bots = book.add_bots(database, ("ada", "bob", "cyd", "dan"))
    tournament = book.create(database, bots.values(), pool=OPEN)
    planned = book.take(database, tournament)
    for match in planned[::-1] if backwards else planned:
        book.record(database, match)
    model = PlackettLuce()
    expected = {version: model.rating() for version in bots.values()}
    for match in planned:
        teams = [[expected[version]] for version in names(match)]
        after = model.rate(teams, ranks=[float(rank) for rank in book.ranks_for(match)])
        expected |= {version: one for version, (one,) in zip(names(match), after, strict=True)}
    assert any(len(set(book.ranks_for(match))) < 3 for match in planned)
    assert skills(database) == {version: Skill(one.mu, one.sigma) for version, one in expected.items()}
    with read(database) as session:
        query = core_select(tables.rating.c.version_id, tables.rating.c.exposure)
        shown = {row.version_id: row.exposure for row in session.connection().execute(query)}
    assert shown == {version: one.ordinal() for version, one in expected.items()}


@pytest.mark.needs("openskill")
def test_two_methods_of_one_game_never_mix_and_a_rebuild_gives_the_same_to_the_last_digit(database: Database) -> None:
    bots = book.add_bots(database, ("ada", "bob", "cyd", "dan"))
    for name, pool in (("one", OPEN), ("two", book.POOL), ("three", OPEN)):
        for match in book.take(database, book.create(database, bots.values(), pool=pool, name=name)):
            book.record(database, match)
    assert check(database) == []
    boards = {board.pool.rating_method: board for board in leaderboards(database).items}
    assert {method: board.matches for method, board in boards.items()} == {"trueskill": 12, "openskill": 24}
    before = [board.table for board in boards.values()]
    with write(database) as session:
        session.connection().execute(tables.rating.update().values(mu=0.0))
        for pool in (OPEN, book.POOL):
            rebuild(session, pool.pool_id)
    assert [board.table for board in leaderboards(database).items] == before
    assert check(database) == []


def test_without_openskills_package_its_pool_cannot_be_rated_and_nothing_is_written(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    bots = book.add_bots(database, ("ada", "bob", "cyd"))
    match, *_ = book.take(database, book.create(database, bots.values(), pool=OPEN, blocks=book.singles(bots.values())))
    with pytest.raises(FactError, match="openskill is not installed; install it with: pip install"):
        book.record(database, match)
    assert book.count(database, "rating") == 0


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
        query = core_select(row.version_id, row.matches, row.wins, row.shared, row.draws, row.points)
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


EXAMPLES = settings(max_examples=4)


@dataclass(frozen=True)
class Leased:
    """A closed database in which every match of a tournament is leased; tests work on copies."""

    path: Path
    tournament: str
    matches: list[LeasedMatch]


@pytest.fixture(scope="module")
def leased(empty_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Leased:
    path = book.copy_of(empty_file, tmp_path_factory.mktemp("orders") / "leased.db")
    database = open_database(path)
    bots = {**book.add_bots(database, ("ada", "bob", "cyd")), **book.add_bots(database, ("dan", "eve"), owner="hopper")}
    tournament = book.create(database, [*bots.values(), book.add_successor(database, "ada")])
    matches = book.take(database, tournament)
    database.close()
    return Leased(path, tournament, matches)


def finish(session: Session, tournament: str, match: LeasedMatch) -> None:
    """Every ninth match is lost for good, the seventh does not count; the others have a result."""
    if match.position % 9 == 8:
        book.lose(session, tournament, match)
    else:
        assert all(record_results(session, [book.report(match, rated=match.position != 6)]))


def play(leased: Leased, order: list[int], batches: list[int]) -> Iterator[Database]:
    """The database after its matches finished in that order, so many in a transaction."""
    database = open_database(book.copy_of(leased.path, leased.path.with_name("copy.db")))
    left = list(order)
    for size in [*batches, len(order)]:
        with write(database) as session:
            for index in left[:size]:
                finish(session, leased.tournament, leased.matches[index])
        left = left[size:]
    yield database
    database.close()


Ratings = dict[str, list[str]]


@pytest.fixture(scope="module")
def in_schedule_order(leased: Leased) -> Ratings:
    for database in play(leased, list(range(len(leased.matches))), [1] * len(leased.matches)):
        assert check(database) == []
        assert book.count(database, "rating") == 6
        found = book.rows(database)
    return found


@pytest.mark.both_databases
def test_any_finishing_order_gives_the_same_ratings(leased: Leased, in_schedule_order: Ratings) -> None:
    @EXAMPLES
    @given(order=st.permutations(range(18)), batches=st.lists(st.integers(1, 6), max_size=18))
    def any_order_does(order: list[int], batches: list[int]) -> None:
        for database in play(leased, order, batches):
            assert book.rows(database) == in_schedule_order
            assert check(database) == []

    any_order_does()


@pytest.mark.both_databases
def test_results_recorded_together_give_the_ratings_of_one_by_one(leased: Leased, one_by_one: Ratings) -> None:
    @EXAMPLES
    @given(order=st.permutations(range(18)), sizes=st.lists(st.integers(1, 9), max_size=6))
    def any_parts_do(order: list[int], sizes: list[int]) -> None:
        database = open_database(book.copy_of(leased.path, leased.path.with_name("together.db")))
        left = [book.report(leased.matches[index]) for index in order]
        for size in [*sizes, 18]:
            facts, left = left[:size], left[size:]
            with write(database) as session:
                assert all(record_results(session, facts))
                assert not any(record_results(session, facts))
        assert book.rows(database) == one_by_one
        assert check(database) == []
        database.close()

    any_parts_do()


@pytest.fixture(scope="module")
def one_by_one(leased: Leased) -> Ratings:
    database = open_database(book.copy_of(leased.path, leased.path.with_name("one.db")))
    assert all(book.record(database, match) for match in leased.matches)
    found = book.rows(database)
    database.close()
    return found


def test_there_are_as_many_matches_as_the_orders_have(leased: Leased) -> None:
    assert len(leased.matches) == 18


@pytest.mark.both_databases
def test_a_rebuild_restores_every_rating_to_the_last_digit(leased: Leased, in_schedule_order: Ratings) -> None:
    for database in play(leased, list(range(18)), []):
        for spoil in (
            "UPDATE rating SET mu = mu + 1e-9",
            "DELETE FROM rating",
            "DELETE FROM rating_change",
            "UPDATE rating_change SET sigma_after = 0",
        ):
            with write(database) as session:
                session.connection().exec_driver_sql(spoil)
            assert check(database) != []
            with write(database) as session:
                pool_id = session.exec(select(PoolRecord)).one().id
                assert rebuild(session, pool_id) > 0
            assert book.rows(database) == in_schedule_order
            assert check(database) == []
