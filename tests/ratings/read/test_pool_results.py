"""Loading a pool: rated matches of whole blocks, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ratings.errors import NotFoundError
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import Ledger
from ratings.read import official_table_input as loading
from ratings.read.official_table_input import load_results
from ratings.statistics.official_table import official_table
from ratings.statistics.results import Results
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.sessions import read, write
from tests.ratings import book

POOL = book.POOL.pool_id


def record(database: Database, match: LeasedMatch, **changes: Any) -> None:
    assert book.record(database, match, game_digest="5" * 64, **changes)  # equal moves say nothing


def load(database: Database) -> Results:
    return load_results(database, POOL)


def blocks_of(matches: list[LeasedMatch]) -> list[list[LeasedMatch]]:
    """The matches, three of each block, as the round robin of the book plans them."""
    ordered = sorted(matches, key=lambda match: match.position)
    return [ordered[start : start + 3] for start in range(0, len(ordered), 3)]


def test_every_match_comes_with_its_seats_ranks_and_block(database: Database, tournament: str) -> None:
    matches = book.take(database, tournament)
    for match in matches:
        record(database, match)
    results = load(database)
    assert results.versions == tuple(sorted({seat.version_id for match in matches for seat in match.seats}))
    loaded = {
        (tuple(results.versions[index] for index in seats), tuple(ranks))
        for seats, ranks in zip(results.seats.tolist(), results.ranks.tolist(), strict=True)
    }
    assert loaded == {(tuple(seat.version_id for seat in match.seats), book.ranks_for(match)) for match in matches}
    assert np.unique(results.blocks, return_counts=True)[1].tolist() == [3, 3, 3, 3]
    table = official_table(results)
    assert (table.matches, table.blocks, table.repeats) == (12, 4, 0)


def test_the_table_does_not_depend_on_the_order_of_finishing(database: Database, tournament: str) -> None:
    matches = book.take(database, tournament)
    for match in reversed(matches):
        record(database, match)
    blocks = blocks_of(matches)
    assert len(load(database).seats) == 3 * len(blocks)


def test_a_void_match_leaves_its_block_out(database: Database, tournament: str) -> None:
    first, *others = blocks_of(book.take(database, tournament))
    with write(database) as session:
        book.lose(session, tournament, first[1])
    for match in [first[0], first[2], *(match for block in others for match in block)]:
        record(database, match)
    assert len(load(database).seats) == 3 * len(others)


@pytest.mark.both_databases
def test_a_block_that_is_not_over_is_left_out(database: Database, tournament: str) -> None:
    first, second, *_ = blocks_of(book.take(database, tournament))
    for match in [*first, *second[:2]]:
        record(database, match)
    assert len(load(database).seats) == 3


def test_a_cancelled_tournament_keeps_its_whole_blocks(database: Database, tournament: str) -> None:
    first, second, *_ = blocks_of(book.take(database, tournament))
    for match in [*first, *second[1:]]:
        record(database, match)
    Ledger(database).cancel(tournament)
    assert len(load(database).seats) == 3


def test_unrated_tournaments_do_not_count(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values(), rated=False)
    book.play_all(database, tournament)
    results = load(database)
    assert len(results.seats) == 0
    assert official_table(results).rows == ()


def test_an_unknown_pool_is_refused(database: Database) -> None:
    with pytest.raises(NotFoundError, match="no pool nowhere"):
        load_results(database, "nowhere")


def play_twice(database: Database, bots: dict[str, str], *, deterministic: bool, other_seed: int = 0) -> Results:
    """The same plan in two tournaments, the second with other chance seeds if so asked, move by move the same."""
    with write(database) as session:
        manifest = {"name": "any", "deterministic": deterministic}
        session.connection().execute(tables.version.update().values(manifest=manifest))
    blocks = book.round_robin(list(bots.values()))
    again = [replace(block, chance_seed=block.chance_seed + other_seed) for block in blocks]
    for number, planned in enumerate((blocks, again)):
        tournament = book.create(database, bots.values(), blocks=planned, name=f"t{number}")
        for match in book.take(database, tournament):
            record(database, match)
    return load(database)


@pytest.mark.both_databases
def test_the_same_plan_of_deterministic_bots_counts_once(database: Database, bots: dict[str, str]) -> None:
    table = official_table(play_twice(database, bots, deterministic=True))
    assert (table.matches, table.repeats) == (12, 12)


def test_a_bot_whose_repeats_end_otherwise_is_told_and_all_it_plays_counts(
    database: Database, bots: dict[str, str]
) -> None:
    with write(database) as session:
        session.connection().execute(tables.version.update().values(manifest={"deterministic": True}))
    for number in range(2):
        tournament = book.create(database, bots.values(), name=f"t{number}")
        for match in book.take(database, tournament):
            sits = [seat.version_id == bots["ada"] for seat in match.seats]
            first, second = ((1, 2), (3, 1))[number]  # ada's rank and the others', in each tournament
            ranks = tuple(first if is_ada else second for is_ada in sits)
            record(database, match, ranks=ranks if any(sits) else (1, 2, 3))
    results = load(database)
    table = official_table(results)
    assert table.unsteady == (bots["ada"],)
    assert (table.matches, table.repeats) == (21, 3)


def test_the_schedule_tells_which_repeat_is_the_first(database: Database, bots: dict[str, str]) -> None:
    with write(database) as session:
        session.connection().execute(tables.version.update().values(manifest={"deterministic": True}))
    tournaments = [book.create(database, bots.values(), name=f"t{number}") for number in range(2)]
    for tournament in reversed(tournaments):
        for match in reversed(book.take(database, tournament)):
            record(database, match)
    results = load(database)
    assert results.order is not None
    assert results.draws is not None
    assert sorted((results.order % 2**32).tolist()) == sorted([*range(12)] * 2)
    assert np.unique(results.draws[np.argsort(results.order)]).tolist() == [1, 2]
    assert official_table(results).repeats == 12


def test_bots_that_are_not_all_deterministic_repeat_nothing(database: Database, bots: dict[str, str]) -> None:
    table = official_table(play_twice(database, bots, deterministic=False))
    assert (table.matches, table.repeats) == (24, 0)


def test_equal_moves_that_no_plan_repeats_all_count(database: Database, bots: dict[str, str]) -> None:
    table = official_table(play_twice(database, bots, deterministic=True, other_seed=1_000_000))
    assert (table.matches, table.repeats) == (24, 0)


def test_other_positions_of_a_file_are_no_repeats(database: Database, bots: dict[str, str]) -> None:
    with write(database) as session:
        session.connection().execute(tables.version.update().values(manifest={"deterministic": True}))
    for number, start in enumerate(({}, {"size": 7}, {"size": 7})):
        settings = {"starts": [start]} if start else {}
        tournament = book.create(database, bots.values(), name=f"t{number}", settings=settings)
        for match in book.take(database, tournament):
            record(database, match)
    table = official_table(load(database))
    assert (table.matches, table.repeats) == (24, 12)


def test_seeds_that_some_blocks_share_leave_the_others_alone(database: Database, bots: dict[str, str]) -> None:
    blocks = book.round_robin(list(bots.values()))
    same_seed = [replace(block, opening=(9, 9)) for block in blocks[:2]]
    new = [replace(block, chance_seed=5) for block in blocks[2:]]
    with write(database) as session:
        session.connection().execute(tables.version.update().values(manifest={"deterministic": True}))
    for number, planned in enumerate((blocks, [*same_seed, *new], [*same_seed, *new])):
        tournament = book.create(database, bots.values(), blocks=planned, name=f"t{number}")
        for match in book.take(database, tournament):
            record(database, match)
    results = load(database)
    seatings = [results.versions[seat] for seat in results.seats[:, 0]]
    assert len({*zip(results.plans.tolist(), seatings, strict=True)}) == len(results.plans) - 12
    assert official_table(results).repeats == 12


def test_what_live_rating_did_not_rate_is_found_by_its_index(database: Database) -> None:
    with read(database) as session:
        sql = str(
            loading.not_rated(POOL).compile(dialect=database.engine.dialect, compile_kwargs={"literal_binds": True})
        )
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}").all()
    assert any("ix_rating_order_pool_id_match_id" in detail for *_, detail in plan)
