"""Loading a pool: rated matches of whole blocks, and nothing else."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from ratings.errors import NotFoundError
from ratings.ledger.entry import LeasedMatch, cancel
from ratings.read.loading import load_results
from ratings.statistics.official.results import Results
from ratings.statistics.official.table import official_table
from ratings.store.database import Database as Engine
from ratings.store.database import read, write
from tests.ratings import book

POOL = book.POOL.pool_id()


def digest_of(match: LeasedMatch) -> str:
    return hashlib.sha256(match.match_id.encode()).hexdigest()


def record(engine: Engine, match: LeasedMatch) -> None:
    assert book.record(engine, match, game_digest=digest_of(match))


def load(engine: Engine) -> Results:
    with read(engine) as session:
        return load_results(session, POOL)


def blocks_of(matches: list[LeasedMatch]) -> list[list[LeasedMatch]]:
    """The matches, three of each block, as the round robin of the book plans them."""
    ordered = sorted(matches, key=lambda match: match.position)
    return [ordered[start : start + 3] for start in range(0, len(ordered), 3)]


def test_every_match_comes_with_its_seats_ranks_block_and_digest(engine: Engine, tournament: str) -> None:
    matches = book.take(engine, tournament)
    for match in matches:
        record(engine, match)
    results = load(engine)
    assert results.versions == tuple(sorted({seat.version_id for match in matches for seat in match.seats}))
    loaded = {
        (tuple(results.versions[index] for index in seats), tuple(ranks), digest)
        for seats, ranks, digest in zip(
            results.seats.tolist(), results.ranks.tolist(), results.digests.tolist(), strict=True
        )
    }
    assert loaded == {
        (tuple(seat.version_id for seat in match.seats), book.ranks_for(match), int(digest_of(match)[:16], 16))
        for match in matches
    }
    assert np.bincount(results.blocks).tolist() == [3, 3, 3, 3]
    table = official_table(results)
    assert (table.matches, table.blocks, table.repeats) == (12, 4, 0)


def test_the_table_does_not_depend_on_the_order_of_finishing(engine: Engine, tournament: str) -> None:
    matches = book.take(engine, tournament)
    for match in reversed(matches):
        record(engine, match)
    blocks = blocks_of(matches)
    assert len(load(engine).seats) == 3 * len(blocks)


def test_a_void_match_leaves_its_block_out(engine: Engine, tournament: str) -> None:
    first, *others = blocks_of(book.take(engine, tournament))
    with write(engine) as session:
        book.lose(session, tournament, first[1])
    for match in [first[0], first[2], *(match for block in others for match in block)]:
        record(engine, match)
    assert len(load(engine).seats) == 3 * len(others)


def test_a_block_that_is_not_over_is_left_out(engine: Engine, tournament: str) -> None:
    first, second, *_ = blocks_of(book.take(engine, tournament))
    for match in [*first, *second[:2]]:
        record(engine, match)
    assert len(load(engine).seats) == 3


def test_a_cancelled_tournament_keeps_its_whole_blocks(engine: Engine, tournament: str) -> None:
    first, second, *_ = blocks_of(book.take(engine, tournament))
    for match in [*first, *second[1:]]:
        record(engine, match)
    with write(engine) as session:
        cancel(session, tournament)
    assert len(load(engine).seats) == 3


def test_unrated_tournaments_do_not_count(engine: Engine, bots: dict[str, str]) -> None:
    tournament = book.create(engine, bots.values(), rated=False)
    book.play_all(engine, tournament)
    results = load(engine)
    assert len(results.seats) == 0
    assert official_table(results).rows == ()


def test_an_unknown_pool_is_refused(engine: Engine) -> None:
    with pytest.raises(NotFoundError, match="no pool nowhere"), read(engine) as session:
        load_results(session, "nowhere")
