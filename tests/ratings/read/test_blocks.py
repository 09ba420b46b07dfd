from __future__ import annotations

import pytest

from ratings.read.blocks import EarlyResult, early_results
from ratings.statistics.firsts import Firsts
from ratings.store.database import Database
from tests.ratings import book

pytestmark = pytest.mark.both_databases


def test_results_of_blocks_that_are_not_over_are_early_and_tell_which_kind_of_first(
    database: Database, tournament: str
) -> None:
    first, second, third = book.take(database, tournament, 3)
    book.record(database, first, ranks=(1, 1, 3), forfeits=(2,))
    book.record(database, second, ranks=(1, 1, 1))
    shared, draw = Firsts(shared=1), Firsts(draws=1)
    expected = [
        *(EarlyResult(seat.version_id, shared, False) for seat in first.seats[:2]),
        EarlyResult(first.seats[2].version_id, Firsts(), True),
        *(EarlyResult(seat.version_id, draw, False) for seat in second.seats),
    ]
    assert early_results(database, tournament) == expected
    book.record(database, third)
    assert early_results(database, tournament) == []
