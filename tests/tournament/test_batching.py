"""Results of short matches that are recorded together: how many, how long they wait, and that nothing else changes."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.batching import GATHER_S, MOST_A_SLOT, ResultBatching
from ratings.ledger.ledger import Ledger
from tests.tournament.book import Book, open_book
from tests.tournament.playing import MATCHES, play
from tests.tournament.scripted_executor import ScriptedExecutor

SHORT_US = 5000
SLEEP = asyncio.sleep


def after(*durations_us: int, slots: int = 2) -> ResultBatching:
    gathering = ResultBatching(lambda: slots)
    for duration_us in durations_us:
        gathering.count(duration_us)
    return gathering


@pytest.mark.parametrize("durations_us", [(), (500_001,), (6_000_000, 50_000), (250_000, 6_000_000, 6_000_000)])
def test_a_result_waits_for_no_other_before_lengths_are_known_and_when_matches_are_long(
    durations_us: tuple[int, ...],
) -> None:
    gathering = after(*durations_us)
    assert gathering.most_in_flight == gathering.least_in_flight == 4
    assert gathering.pause_s(3) == gathering.pause_s(4) == 0


def test_the_shorter_matches_are_the_more_the_executor_is_given() -> None:
    assert [after(length).most_in_flight for length in (500_000, 250_000, 125_000)] == [6, 8, 12]
    assert after(1).most_in_flight == after(0).most_in_flight == 2 * (2 + MOST_A_SLOT)


def test_results_wait_until_the_executor_runs_short_and_never_longer_than_it_is_said() -> None:
    gathering = after(20_000)
    assert gathering.pause_s(gathering.least_in_flight) == gathering.pause_s(0) == 0
    assert gathering.pause_s(gathering.least_in_flight + 4) == pytest.approx(0.04)
    assert gathering.pause_s(1000) == GATHER_S


def test_an_executor_that_grows_is_given_more() -> None:
    slots = 1
    gathering = ResultBatching(lambda: slots)
    gathering.count(250_000)
    assert gathering.most_in_flight == 4
    slots = 3
    assert gathering.most_in_flight == 12


class SteadyExecutor(ScriptedExecutor):
    """Finishes a match, and the next one when a transaction has recorded its result; all that it has during a pause."""

    _is_held = False

    async def go_on(self, *, to_the_end: bool) -> None:
        while True:
            self._is_held = False
            self._finish_one()
            if not (to_the_end and self.is_playing):
                return
            await SLEEP(0)

    def _finish_one(self) -> None:
        if not self._is_held:
            before = len(self.finished)
            super()._finish_one()
            self._is_held = len(self.finished) > before


async def transactions(book: Book, executor: SteadyExecutor, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Play a tournament, and return how many results each transaction recorded."""
    recorded: list[int] = []
    settle, loop = Ledger.settle, asyncio.get_running_loop()

    def counted(self: Ledger, tournament_id: str, **more: Any) -> Any:
        recorded.append(len(more.get("results", ())))
        settled = settle(self, tournament_id, **more)
        asyncio.run_coroutine_threadsafe(executor.go_on(to_the_end=False), loop)
        return settled

    async def rest(pause_s: float) -> None:
        await (executor.go_on(to_the_end=True) if pause_s else SLEEP(0))

    monkeypatch.setattr(asyncio, "sleep", rest)
    monkeypatch.setattr(Ledger, "settle", counted)
    await play(book, book.plan(), executor)
    return recorded


async def test_results_of_short_matches_share_transactions_and_those_of_long_ones_do_not(
    tmp_path: Path, fresh_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for name, executor in {"long": SteadyExecutor(), "short": SteadyExecutor(duration_us=SHORT_US)}.items():
        with (
            open_book(shutil.copytree(fresh_book, tmp_path / name) / "arena.db") as book,
            monkeypatch.context() as patch,
        ):
            counts.append(await transactions(book, executor, patch))
    long, short = counts
    assert sum(long) == sum(short) == MATCHES
    assert max(short) > 2 * max(long)
    assert len(short) < len(long)


@pytest.mark.parametrize("seed", [2])
async def test_it_does_not_show_in_the_table(tmp_path: Path, fresh_book: Path, seed: int) -> None:
    ends = []
    short = ScriptedExecutor(slots=1 + seed, seed=seed, loses=0.3, duration_us=SHORT_US)
    for name, executor in {"long": ScriptedExecutor(seed=9), "short": short}.items():
        with open_book(shutil.copytree(fresh_book, tmp_path / name) / "arena.db") as book:
            tournament = book.plan()
            await play(book, tournament, executor)
            ends.append((book.table(tournament), book.results(tournament)))
    assert ends[0] == ends[1]
