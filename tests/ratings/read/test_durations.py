from __future__ import annotations

import pytest

from ratings.read.durations import mean_duration
from ratings.store.database import Database
from tests.ratings import book

pytestmark = pytest.mark.both_databases

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
