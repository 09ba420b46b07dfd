"""One schedule, any finishing order, any number of workers, any crash: the same ratings to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlmodel import Session, select

from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.rebuild import rebuild
from ratings.ledger.recording import record_results
from ratings.store.database import Database, open_database
from ratings.store.models import PoolRecord
from ratings.store.sessions import write
from tests.ratings import book

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
