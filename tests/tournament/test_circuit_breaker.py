"""Matches that the host lost, what the losses say of the machine, and what befalls a machine while it plays."""

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
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.tournament import circuit_breaker as host_watch
from arena.tournament import runner
from arena.tournament.circuit_breaker import HostWatch
from arena.tournament.errors import AlreadyRunningError, HostFailingError
from arena.tournament.locks import exclusive, lock_path
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.errors import DatabaseBusyError, DatabaseGoneError
from ratings.ledger.check import check
from ratings.ledger.leasing import LostAttempt
from ratings.ledger.ledger import LeaseRequest
from ratings.read.matches import match_detail
from ratings.read.tournaments import tournament_row
from ratings.store.database import open_database, rescue
from ratings.store.models import TournamentRecord
from ratings.store.waves import Progress
from ratings.values.states import AttemptState
from tests.support.machines import run_on_small_disk
from tests.tournament.book import MATCHES, Book, counts, open_book, play
from tests.tournament.scripted_executor import ScriptedExecutor

DIED, SICK = HostCause.WORKER_DIED, HostCause.HOSTING_FAILED
WHY = MatchLostError("it was lost")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 1.0)


def lose(watch: HostWatch, match: str, cause: HostCause = DIED, still_open: int = 10, now_s: float = 0.0) -> bool:
    watch.hand_out(match)
    return watch.lose(match, cause, still_open=still_open, now_s=now_s)


@pytest.mark.usefixtures("pauses")
def test_a_match_rests_longer_after_each_loss_and_the_others_do_not() -> None:
    watch, now_s, rests = HostWatch(4), 0.0, []
    for _ in range(8):
        lose(watch, "a", now_s=now_s)
        rest_s = watch.rest_s(now_s)
        assert rest_s is not None
        assert watch.resting(now_s + rest_s - 0.001) == {"a"}
        now_s += rest_s
        rests.append(rest_s)
        assert watch.has_resting
        assert watch.resting(now_s) == frozenset()
        assert (watch.has_resting, watch.rest_s(now_s)) == (False, None)
    assert rests == [1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.usefixtures("pauses")
def test_the_first_that_has_rested_is_tried_first() -> None:
    watch = HostWatch(4)
    lose(watch, "a", now_s=0.0)
    lose(watch, "b", now_s=0.5)
    assert watch.rest_s(0.75) == 0.25
    assert watch.resting(1.25) == {"b"}
    watch.forget("b")
    assert not watch.has_resting


@pytest.mark.usefixtures("pauses")
def test_a_loss_counts_if_another_match_was_finished_meanwhile() -> None:
    watch = HostWatch(4)
    watch.hand_out("b")
    watch.hand_out("a")
    watch.finish("b")
    assert watch.lose("a", SICK, still_open=5, now_s=0.0)
    assert not lose(watch, "a", SICK), "nothing was finished since it was handed out again"
    assert not lose(watch, "a", DIED), "and others may yet show that the machine is well"


@pytest.mark.usefixtures("pauses")
def test_where_no_other_match_could_tell_only_what_a_match_can_bring_about_counts() -> None:
    watch = HostWatch(4)
    assert lose(watch, "a", DIED, still_open=1)
    assert not lose(watch, "a", SICK, still_open=1)
    assert not lose(watch, "b", DIED, still_open=3)
    assert lose(watch, "b", DIED, still_open=2), "the other one was lost too"


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("cause", [SICK, HostCause.SANDBOX_FAILED, HostCause.STORAGE_FAILED])
def test_a_machine_without_room_stops_the_run_at_the_second_loss(cause: HostCause) -> None:
    watch = HostWatch(100)
    lose(watch, "a", cause)
    watch.check(WHY, ["b"])
    lose(watch, "a", cause)
    with pytest.raises(HostFailingError, match="lost 2 matches in a row, the run stopped; last reason: it was lost; "):
        watch.check(WHY, ["b"])


@pytest.mark.usefixtures("pauses")
def test_as_many_different_matches_as_are_in_flight_twice_stop_the_run() -> None:
    watch = HostWatch(2)
    for name in "abc":
        lose(watch, name)
        watch.check(WHY, ["z"])
    watch.finish("y")
    for name in "abc":
        lose(watch, name)
        watch.check(WHY, ["z"])
    lose(watch, "d")
    with pytest.raises(HostFailingError, match="lost 4 matches"):
        watch.check(WHY, ["z"])


@pytest.mark.usefixtures("pauses")
def test_one_match_stops_the_run_only_if_no_other_in_flight_could_be_finished() -> None:
    watch = HostWatch(4)
    for _ in range(6):
        watch.check(WHY, ["a"])
        lose(watch, "a", still_open=2)
    watch.check(WHY, ["a", "b"])
    with pytest.raises(HostFailingError, match="lost 6 matches"):
        watch.check(WHY, ["a"])


@pytest.mark.usefixtures("pauses")
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["finish", DIED, SICK])), max_size=60))
def test_a_run_on_a_machine_that_plays_nothing_makes_no_match_void_before_it_stops(
    deeds: list[tuple[str, str | HostCause]],
) -> None:
    """Whatever is lost: without a result, and with others that were never lost, nothing counts."""
    watch, finished = HostWatch(2), 0
    for name, deed in deeds:
        if isinstance(deed, HostCause):
            before = finished
            assert not (lose(watch, name, deed) and finished == before)
        else:
            watch.hand_out(name)
            watch.finish(name)
            finished += 1


@pytest.mark.host_fault("host-fails-one-match-three-times")
async def test_a_match_that_is_lost_three_times_is_void_and_the_others_are_played(book: Book) -> None:
    tournament = book.plan()

    class LosesTheFirst(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id == self.specs[0].match_id

    executor = LosesTheFirst()
    final = await play(book, tournament, executor)
    assert (final.finished, final.void) == (MATCHES - 1, 1)
    detail = match_detail(book.database, executor.specs[0].match_id)
    assert detail.match.state == "void"
    assert [attempt.reason for attempt in detail.attempts] == ["worker 1 died (signal 9)"] * final.lost
    assert [attempt.state for attempt in detail.attempts].count(AttemptState.FAILED) == 3


async def test_two_matches_that_are_always_lost_do_not_stop_the_run(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament, pauses = book.plan(), 0

    class LosesTwo(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id in {spec.match_id for spec in self.specs[:2]}

    def monotonic() -> float:
        """They rest until the others are played, and then no more."""
        nonlocal pauses
        pauses += len(executor.finished) == MATCHES - 2
        return pauses * host_watch.LONGEST_PAUSE_S

    executor = LosesTwo(slots=1)
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", host_watch.LONGEST_PAUSE_S)
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=monotonic))
    final = await play(book, tournament, executor)
    assert (final.finished, final.void) == (MATCHES - 2, 2)
    assert final.lost >= 6


@pytest.mark.host_fault("host-fails-every-match")
async def test_a_host_that_loses_everything_stops_the_run_before_all_is_void(book: Book) -> None:
    tournament = book.plan()
    with pytest.raises(HostFailingError, match=r"last reason: worker 1 died .signal 9.; `arena doctor`"):
        await play(book, tournament, ScriptedExecutor(slots=1, loses=1.0, most_lost=10**6))
    assert counts(book, tournament).leased == 0
    assert counts(book, tournament).planned > MATCHES / 2
    final = await play(book, tournament)
    assert final.over == MATCHES


class WithoutRoom(ScriptedExecutor):
    """Can start no process of a bot."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        raise MatchLostError(f"no room for {spec.match_id}", HostCause.HOSTING_FAILED)


@pytest.mark.host_fault("no-process-for-long")
async def test_a_host_without_room_stops_the_run_before_any_match_is_void(book: Book) -> None:
    tournament = book.plan()
    with pytest.raises(HostFailingError, match="last reason: no room for"):
        await play(book, tournament, WithoutRoom(slots=1))
    assert (counts(book, tournament).leased, counts(book, tournament).void) == (0, 0)
    assert (await play(book, tournament)).void == 0


@pytest.mark.both_databases
async def test_a_resume_on_a_sick_host_makes_no_match_void_that_was_nearly_so(book: Book) -> None:
    tournament, request = book.plan(), LeaseRequest("w1", 1, 10**12)
    for _ in range(2):
        (first,) = book.ledger.start_run(tournament.id, request).leased
        book.ledger.settle(tournament.id, lost=[LostAttempt(first.match_id, first.attempt, "it died", "WORKER_DIED")])
    for _ in range(3):
        with pytest.raises(HostFailingError, match="last reason: no room for"):
            await play(book, tournament, WithoutRoom(slots=1))
    assert counts(book, tournament).void == 0
    lost = [one.state for one in match_detail(book.database, first.match_id).attempts if one.cause is not None]
    assert lost[:2] == [AttemptState.FAILED] * 2
    assert len(lost) >= 5
    assert set(lost[2:]) == {AttemptState.RELEASED}
    assert (await play(book, tournament)).void == 0


async def test_a_lost_match_rests_while_the_others_are_played_and_ctrl_c_ends_its_rest_at_once(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 1e6)
    monkeypatch.setattr(host_watch, "LONGEST_PAUSE_S", 1e6)
    tournament = book.plan()

    class LosesTheFirst(ScriptedExecutor):
        def is_lost(self, spec: MatchSpec) -> bool:
            return spec.match_id == self.specs[0].match_id

    def stop(progress: RunProgress) -> None:
        if progress.finished == MATCHES - 1:
            asyncio.get_running_loop().call_soon(task.cancel)

    executor = LosesTheFirst()
    task = asyncio.ensure_future(play(book, tournament, executor, on_progress=stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(executor.specs) == MATCHES
    assert counts(book, tournament) == Progress(planned=1, leased=0, finished=MATCHES - 1, void=0)
    assert (await play(book, tournament)).finished == MATCHES


async def test_a_lost_match_is_played_when_it_has_rested_although_nothing_else_is_left(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_watch, "FIRST_PAUSE_S", 0.01)
    final = await play(book, book.plan(), ScriptedExecutor(loses=1.0, most_lost=1, slots=12))
    assert (final.finished, final.lost, final.void) == (MATCHES, MATCHES, 0)


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
