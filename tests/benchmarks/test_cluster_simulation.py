"""The simulated cluster of the benchmarks: its clock skips what is waited for, and every match is played."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.cluster_simulation import Field, simulate
from benchmarks.simulated_slots import Calls
from benchmarks.virtual_time import VirtualClock, VirtualLoop
from ratings.read.match_list import MatchFilter, list_matches
from ratings.store.database import open_database
from ratings.store.states import MatchState

WORKERS = 3
HOUR_S = 3600.0


@pytest.fixture
def clock() -> Iterator[VirtualClock]:
    made = VirtualClock()
    yield made
    made.close()


def test_what_is_waited_for_is_skipped_and_what_is_due_first_comes_first(clock: VirtualClock) -> None:
    woken: list[int] = []

    async def sleep(hours: int) -> None:
        await asyncio.sleep(hours * HOUR_S)
        woken.append(hours)

    async def sleep_all() -> None:
        await asyncio.gather(sleep(3), sleep(1), sleep(2))

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(clock)) as runner:
        runner.run(sleep_all())
    assert woken == [1, 2, 3]
    assert clock.time() >= 3 * HOUR_S
    assert 0 < clock.skipped_s <= 3 * HOUR_S + 1


def test_work_counts_and_what_is_done_elsewhere_does_not(clock: VirtualClock) -> None:
    with clock.elsewhere():
        clock.work(0.2)
    elsewhere = clock.time()
    clock.work(0.2)
    assert clock.time() - elsewhere >= 0.19
    assert clock.skipped_s == 0


def test_a_simulated_cluster_plays_every_match(clock: VirtualClock, tmp_path: Path) -> None:
    database = open_database(tmp_path / "arena.db")
    measured = simulate(Field(tmp_path, database, 1), clock, "10s", WORKERS, Calls(0.0, 0.001))
    rows = list_matches(database, MatchFilter(), limit=None).items
    assert {row.match.state for row in rows} == {MatchState.FINISHED}
    assert measured.workers == WORKERS
    assert 0 < measured.busy <= 1
    assert 0 < measured.load <= 1
    database.close()
