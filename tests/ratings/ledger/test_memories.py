"""What a format remembers of waves that are over: only the newest memory, who gathered, and both forgotten together."""

from __future__ import annotations

import pytest

from ratings.ledger.ledger import Ledger
from ratings.ledger.waves import WaveLedger
from ratings.store.database import Database
from ratings.store.sessions import write
from ratings.store.waves import WaveMemory
from tests.ratings import book
from tests.support.endless_waves import EndlessWaves

pytestmark = pytest.mark.both_databases


def test_the_newest_memory_is_read_and_the_one_it_replaces_is_gone(database: Database, bots: dict[str, str]) -> None:
    planner = EndlessWaves(3)
    tournament = Ledger(database).create_tournament(book.plan(bots.values()), planner).id
    book.play_all(database, tournament)
    with write(database) as session:
        waves = WaveLedger(session, tournament)
        assert waves.memory() is None
        waves.remember(WaveMemory(0, {"points": [3, 1]}), None)
        first = waves.memory()
        assert planner.plan_ready(waves) == 3
        waves.remember(WaveMemory(1, {"points": [4, 2]}), 0)
        second = waves.memory()
    assert [(one.index, one.data["points"]) for one in (first, second) if one] == [(0, [3, 1]), (1, [4, 2])]
    assert sum("points" in row for row in book.rows(database, "wave")["wave"]) == 1


def test_blocks_are_counted_by_who_gathered_in_them(database: Database, tournament: str) -> None:
    with write(database) as session:
        waves = WaveLedger(session, tournament)
        waves.gather([(0, 1, 2), (0, 1, 3), (0, 1, 2)])
        waves.gather([(0, 1, 2)])
        assert [waves.gathered(group) for group in ((0, 1, 2), (0, 1, 3), (1, 2, 3))] == [3, 1, 0]


def test_one_tournament_forgets_all_that_it_remembered_and_no_other_does(
    database: Database, bots: dict[str, str], tournament: str
) -> None:
    another = book.create(database, bots.values(), name="another")
    with write(database) as session:
        both = [WaveLedger(session, one) for one in (tournament, another)]
        for waves in both:
            waves.remember(WaveMemory(0, {"points": [3, 1]}), None)
            waves.gather([(0, 1, 2)])
        both[0].forget()
        assert [waves.memory() is None for waves in both] == [True, False]
        assert [waves.gathered((0, 1, 2)) for waves in both] == [0, 1]
