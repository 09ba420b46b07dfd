"""What befalls a machine while a tournament is played on it: nothing is lost, nothing claimed, and it is named."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.tournament.errors import AlreadyRunningError
from arena.tournament.playing import exclusive, lock_path
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.errors import DatabaseBusyError, DatabaseGoneError
from ratings.ledger.check import check
from ratings.read.matches import match_detail
from ratings.read.tournaments import tournament_row
from ratings.store.database import open_database, rescue
from ratings.store.models import TournamentRecord
from ratings.values.states import AttemptState
from tests.support.machines import run_on_small_disk
from tests.tournament.book import Book, open_book
from tests.tournament.scripted_executor import ScriptedExecutor

OF_THE_PLAN = 24
EIGHT_DAYS_NS = 8 * 24 * 3600 * 10**9


class LongFirstExecutor(ScriptedExecutor):
    """Plays the first match until ten others are over."""

    def __init__(self) -> None:
        super().__init__()
        self._first: str | None = None
        self._ten_are_over = asyncio.Event()

    async def run(self, spec: MatchSpec) -> MatchReport:
        self._first = self._first or spec.match_id
        report = await super().run(spec)
        if len(self.finished) >= 11:
            self._ten_are_over.set()
        if spec.match_id == self._first:
            await self._ten_are_over.wait()
        return report


@pytest.mark.host_fault("clock-jumps-forward", "clock-jumps-back")
@pytest.mark.parametrize("shift_ns", [EIGHT_DAYS_NS, -EIGHT_DAYS_NS], ids=["forward", "back"])
async def test_a_wall_clock_that_jumps_by_days_takes_no_match_from_the_run_that_plays_it(
    book: Book, monkeypatch: pytest.MonkeyPatch, shift_ns: int
) -> None:
    tournament, executor = book.plan(), LongFirstExecutor()
    true_ns, jumps_after = time.time_ns, 5
    monkeypatch.setattr(time, "time_ns", lambda: true_ns() + (shift_ns if len(executor.finished) >= jumps_after else 0))
    async with executor:
        final = await run_tournament(book.database, tournament.id, executor, book.programs)
    assert (final.finished, final.void, final.lost) == (OF_THE_PLAN, 0, 0)
    played = [spec.match_id for spec in executor.specs]
    assert len(played) == len(set(played)) == OF_THE_PLAN
    attempts = [match_detail(book.database, match).attempts for match in played]
    assert [[attempt.state for attempt in one] for one in attempts] == [[AttemptState.FINISHED]] * OF_THE_PLAN
    assert check(book.database) == []


class FaultAfterFive(ScriptedExecutor):
    """Does something to the host once five matches are over; what comes after that is played more slowly."""

    def __init__(self, befall: Callable[[], object]) -> None:
        super().__init__(slots=1)
        self._befall: Callable[[], object] | None = befall

    async def run(self, spec: MatchSpec) -> MatchReport:
        report = await super().run(spec)
        if len(self.finished) >= 5 and self._befall is not None:
            befall, self._befall = self._befall, None
            befall()
        return report


async def run_with(book: Book, tournament: TournamentRecord, executor: ScriptedExecutor, **more: Any) -> RunProgress:
    async with executor:
        return await run_tournament(book.database, tournament.id, executor, book.programs, **more)


def take_away(book: Book) -> None:
    for name in ("", "-wal", "-shm"):
        book.path.with_name(f"{book.path.name}{name}").unlink()


def put_another(book: Book) -> None:
    shutil.copy(book.path, book.path.with_name("other.db"))
    book.path.with_name("other.db").replace(book.path)


@pytest.mark.host_fault("database-taken-away", "database-replaced")
@pytest.mark.parametrize("befall", [take_away, put_another])
async def test_a_database_that_is_taken_away_ends_the_run_and_nothing_recorded_is_lost(
    book: Book, befall: Callable[[Book], None]
) -> None:
    tournament = book.plan()
    with pytest.raises(DatabaseGoneError, match="while it was in use; nothing is recorded there any more"):
        await run_with(book, tournament, FaultAfterFive(lambda: befall(book)))
    assert not list(book.path.parent.glob("*.lock"))
    kept = rescue(book.database)
    assert kept is not None
    book.database.close()
    with open_book(Path(shutil.move(kept, book.path))) as restored:
        final = await run_with(restored, tournament, ScriptedExecutor())
        assert (final.finished, final.void) == (OF_THE_PLAN, 0)
        assert final.played < OF_THE_PLAN, "what had been recorded is not played again"
        assert check(restored.database) == []


@pytest.mark.host_fault("database-locked-for-a-while")
async def test_a_run_waits_for_another_who_writes_and_tells_so(book: Book) -> None:
    tournament, waited = book.plan(), list[float]()
    with closing(sqlite3.connect(book.path, isolation_level=None)) as other:

        def see(progress: RunProgress) -> None:
            if progress.blocked_s:
                waited.append(progress.blocked_s)
                if len(waited) == 2:
                    other.execute("ROLLBACK")

        executor = FaultAfterFive(lambda: other.execute("BEGIN IMMEDIATE"))
        final = await run_with(book, tournament, executor, on_progress=see)
    assert (final.finished, final.void, final.lost) == (OF_THE_PLAN, 0, 0)
    assert len(waited) == 2
    assert sorted(waited) == waited


@pytest.mark.host_fault("database-locked-for-long")
async def test_a_run_waits_for_another_who_writes_no_longer_than_it_is_told(book: Book) -> None:
    tournament = book.plan()
    told = open_database(f"sqlite:///{book.path}?busy_timeout=20")
    with closing(told), closing(sqlite3.connect(book.path, isolation_level=None)) as other:
        executor = FaultAfterFive(lambda: other.execute("BEGIN IMMEDIATE"))
        with pytest.raises(DatabaseBusyError):
            await run_with(replace(book, database=told), tournament, executor)
    assert not list(book.path.parent.glob("*.lock"))
    final = await run_with(book, tournament, ScriptedExecutor())
    assert (final.finished, final.void) == (OF_THE_PLAN, 0)


@pytest.mark.host_fault("ctrl-c-while-the-database-is-locked")
async def test_ctrl_c_ends_a_run_that_waits_for_another_who_writes(book: Book) -> None:
    tournament = book.plan()
    with closing(sqlite3.connect(book.path, isolation_level=None)) as other:

        def see(progress: RunProgress) -> None:
            if progress.blocked_s and not task.cancelling():
                task.cancel()
                other.execute("ROLLBACK")

        executor = FaultAfterFive(lambda: other.execute("BEGIN IMMEDIATE"))
        task = asyncio.ensure_future(run_with(book, tournament, executor, on_progress=see))
        with pytest.raises(asyncio.CancelledError):
            await task
    progress = tournament_row(book.database, tournament.id).progress
    assert progress.leased == 0
    assert progress.finished >= 5, "what had come back is recorded at the end"


@pytest.mark.host_fault("disk-full-when-a-run-begins")
async def test_a_lock_whose_holder_cannot_be_named_is_held(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    def have_no_room(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", have_no_room)
    path = lock_path(book.path, "one")
    with exclusive(path), pytest.raises(AlreadyRunningError, match="process another"), exclusive(path):
        pass
    assert not path.exists()


@pytest.mark.needs("minutes")  # and the right to mount a small disk
@pytest.mark.host_fault("disk-full-in-a-tournament")
def test_a_full_disk_stops_a_run_and_little_room_is_enough_to_go_on(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.tournament.on_a_small_disk", str(tmp_path / "small"), "600"]
    assert run_on_small_disk(tmp_path / "small", 3000, words) == ["full", "48 of 48, []"]
