"""A run of a tournament: what is handed out and recorded, alone or together, kills, cancelling, and refusals."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.store import StoreError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.tournament.errors import AlreadyRunningError, NotPlayableError
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.locks import hold, lock_path
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import GATHER_S, MOST_A_SLOT, ResultBatching, run_tournament
from engine import registry
from ratings.errors import DatabaseFullError, NotFoundError
from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.matches import match_detail, replay_of
from ratings.store.database import open_database
from ratings.store.models import TournamentRecord
from ratings.store.waves import Progress
from tests.support.nim import NIM
from tests.tournament.book import BOTS, MATCHES, Book, counts, install_nim, open_book, play
from tests.tournament.scripted_executor import ScriptedExecutor, StuckExecutor, report_of

SHORT_US = 5000
SLEEP = asyncio.sleep


@dataclass(frozen=True)
class Run:
    """A run in which nothing went wrong, of a database of its own."""

    book: Book
    tournament: TournamentRecord
    executor: ScriptedExecutor
    seen: list[RunProgress]
    final: RunProgress

    @property
    def outcome(self) -> tuple[Any, Any]:
        return self.book.table(self.tournament), self.book.results(self.tournament)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, fresh_book: Path) -> Iterator[Run]:
    """One that tests look at; the executor takes three matches at once."""
    copy = shutil.copytree(fresh_book, tmp_path_factory.mktemp("undisturbed") / "book")
    executor, seen = ScriptedExecutor(slots=3), list[RunProgress]()
    with open_book(copy / "arena.db") as book:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(registry, "_plugins", registry._plugins)
            install_nim()
            tournament = book.plan()
            final = asyncio.run(play(book, tournament, executor, on_progress=seen.append))
        yield Run(book, tournament, executor, seen, final)


@pytest.fixture(scope="module")
def undisturbed(run: Run) -> tuple[Any, Any]:
    """Table and results of that run."""
    return run.outcome


def test_a_run_plays_every_match_once(run: Run) -> None:
    final, finished = run.final, run.executor.finished
    assert (final.finished, final.void, final.total, final.played) == (MATCHES, 0, MATCHES, MATCHES)
    assert counts(run.book, run.tournament) == Progress(planned=0, leased=0, finished=MATCHES, void=0)
    assert len(finished) == len(set(finished)) == MATCHES
    assert set(run.book.table(run.tournament)) == set(BOTS)


def test_matches_are_handed_out_in_schedule_order_and_enough_of_them(run: Run) -> None:
    planned = list_matches(run.book.database, MatchFilter(run.tournament.id), limit=None, newest_first=False).items
    assert [spec.match_id for spec in run.executor.specs] == [row.match.id for row in planned]
    assert run.executor.most_at_once == 6


def test_what_is_handed_out_is_what_was_planned(run: Run) -> None:
    secret, store = bytes.fromhex(run.tournament.secret), run.book.store
    spec = run.executor.specs[4]  # block 1, rotation 1
    assert (spec.game, spec.rules_version, spec.options, spec.cores) == ("nim", "1", {"size": 30}, 1)
    assert spec.clock.decision_limit_us == 50_000
    assert spec.chance_seed == seeds.chance_seed(secret, 1)
    assert [seat.seed for seat in spec.seats] == [seeds.bot_seed(secret, 1, 1, seat) for seat in range(3)]
    for seat in spec.seats:
        assert seat.directory == str(store.directory(seat.version))
        assert seat.command == (sys.executable, str(store.directory(seat.version) / "main.py"))


def test_the_whole_report_is_recorded(run: Run) -> None:
    for spec in run.executor.specs:
        report, detail = report_of(spec), match_detail(run.book.database, spec.match_id)
        assert tuple(row.seat.rank for row in detail.seats) == report.result.ranks
        assert [(f.seat, f.cause, f.evidence) for f in detail.faults] == [
            (f.seat, f.cause.value, f.evidence) for f in report.result.faults
        ]
        assert detail.match.details == report.result.details
        assert replay_of(run.book.database, spec.match_id) == report.replay


def test_progress_tells_how_far_the_run_is(run: Run) -> None:
    seen, final = run.seen, run.final
    assert [progress.finished for progress in seen] == sorted(progress.finished for progress in seen)
    assert (seen[0].finished, seen[0].speed, seen[0].total) == (0, None, MATCHES)
    assert seen[-1].finished == final.finished == MATCHES
    assert seen[-1].over == seen[-1].total
    assert final.decisions == 10 * MATCHES


@pytest.mark.parametrize("seed", [1, 4])
async def test_order_number_of_slots_and_lost_attempts_do_not_show_in_the_table(
    book: Book, undisturbed: tuple[Any, Any], seed: int
) -> None:
    tournament = book.plan()
    final = await play(book, tournament, ScriptedExecutor(slots=1 + seed, seed=seed, loses=0.3))
    assert final.lost > 0
    assert (book.table(tournament), book.results(tournament)) == undisturbed


def kill_run(book: Book, tournament: TournamentRecord, point: str, count: int) -> None:
    """A run in a process of its own that dies at that point; see `runner_process`."""
    arguments = [str(book.path), tournament.id, point, str(count)]
    killed = subprocess.run([sys.executable, "-m", "tests.tournament.runner_process", *arguments], check=False)
    assert killed.returncode == -9


@pytest.mark.both_databases
@pytest.mark.needs("minutes")  # of one kill at a time see test_waves.py
@pytest.mark.host_fault("command-killed", "command-killed-again-and-again")
async def test_killed_again_and_again_it_still_ends_with_the_same_table(
    book: Book, undisturbed: tuple[Any, Any]
) -> None:
    tournament = book.plan()
    for point, count in [("progress", 2), ("transaction", 3), ("start", 6)]:
        kill_run(book, tournament, point, count)
        assert not counts(book, tournament).is_over
    await play(book, tournament)
    assert (book.table(tournament), book.results(tournament)) == undisturbed
    assert sorted(book.signed(tournament)) == list(range(MATCHES)), "every result is signed, and each once"


async def cancel_after(book: Book, tournament: TournamentRecord, finished: int) -> None:
    """Run, and cancel once so many matches are finished."""
    task: asyncio.Task[RunProgress]

    def stop(progress: RunProgress) -> None:
        if progress.finished >= finished:
            task.cancel()

    task = asyncio.ensure_future(play(book, tournament, on_progress=stop))
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancelled_run_gives_back_what_it_did_not_finish(book: Book, undisturbed: tuple[Any, Any]) -> None:
    tournament = book.plan()
    await cancel_after(book, tournament, 7)
    stopped = counts(book, tournament)
    assert stopped.leased == 0
    assert 7 <= stopped.finished < MATCHES
    final = await play(book, tournament)
    assert final.played == MATCHES - stopped.finished
    assert (book.table(tournament), book.results(tournament)) == undisturbed


async def test_a_cancelled_run_ends_what_the_executor_is_playing(book: Book) -> None:
    tournament, executor = book.plan(), StuckExecutor(slots=2)
    task = asyncio.ensure_future(play(book, tournament, executor))
    while len(executor.specs) < 4:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(executor.cancelled) == sorted(spec.match_id for spec in executor.specs)
    assert counts(book, tournament) == Progress(planned=MATCHES, leased=0, finished=0, void=0)


async def test_giving_back_costs_a_match_no_attempt(book: Book) -> None:
    tournament = book.plan()
    for finished in range(1, 6):
        await cancel_after(book, tournament, finished)
    assert (await play(book, tournament)).void == 0


async def test_a_fault_of_the_executor_itself_is_not_hidden(book: Book) -> None:
    tournament = book.plan()

    class Broken(ScriptedExecutor):
        async def run(self, spec: MatchSpec) -> MatchReport:
            if len(self.specs) == 9:
                raise ZeroDivisionError
            return await super().run(spec)

    with pytest.raises(ZeroDivisionError):
        await play(book, tournament, Broken())
    state = counts(book, tournament)
    assert (state.leased, state.void) == (0, 0)
    assert state.finished >= 5


@pytest.mark.host_fault("database-full")
async def test_a_full_disk_stops_the_run_and_keeps_what_was_recorded(book: Book, undisturbed: tuple[Any, Any]) -> None:
    tournament = book.plan()
    pages = book.path.stat().st_size // 4096
    limited = open_database(f"sqlite:///{book.path}?max_page_count={pages + 8}")
    with pytest.raises(DatabaseFullError):
        await play(replace(book, database=limited), tournament)
    limited.close()
    assert 0 < counts(book, tournament).finished < MATCHES
    await play(book, tournament)
    assert (book.table(tournament), book.results(tournament)) == undisturbed


@pytest.mark.both_databases
@pytest.mark.host_fault("two-commands-play-one-tournament")
async def test_two_runs_of_one_tournament_at_once_are_refused(book: Book) -> None:
    tournament = book.plan()
    with (
        hold(book.database, tournament.id),
        pytest.raises(AlreadyRunningError, match="is playing this tournament now"),
    ):
        await play(book, tournament)
    await play(book, tournament)


@pytest.mark.host_fault("lock-removed")
async def test_two_runs_of_one_tournament_whose_lock_was_removed_play_every_match_once(book: Book) -> None:
    tournament = book.plan()
    lock = lock_path(book.path.resolve(), tournament.id)
    others: list[asyncio.Task[RunProgress]] = []

    def take_over(progress: RunProgress) -> None:
        if progress.finished >= 5 and not others:
            lock.unlink()
            others.append(asyncio.create_task(play(book, tournament)))

    with pytest.raises(AlreadyRunningError, match="is playing this tournament now"):
        await play(book, tournament, ScriptedExecutor(slots=1), on_progress=take_over)
    final = await others[0]
    assert (final.finished, final.void, final.total) == (MATCHES, 0, MATCHES)
    assert check(book.database) == []


@pytest.mark.host_fault("lock-removed")
async def test_a_run_whose_lock_was_removed_plays_on(book: Book) -> None:
    tournament = book.plan()
    lock = lock_path(book.path.resolve(), tournament.id)

    def remove(progress: RunProgress) -> None:
        if progress.finished < MATCHES:
            lock.unlink()

    final = await play(book, tournament, ScriptedExecutor(slots=1), on_progress=remove)
    assert (final.finished, final.total) == (MATCHES, MATCHES)
    assert not lock.exists()


async def test_a_run_that_another_took_matches_from_says_that_they_are_not_over(book: Book) -> None:
    tournament = book.plan()
    taken: list[LeasedMatch] = []

    def take(_progress: RunProgress) -> None:
        if not taken:
            taken.extend(book.ledger.settle(tournament.id, request=LeaseRequest("elsewhere:1", 3, 10**12)).leased)

    final = await play(book, tournament, ScriptedExecutor(slots=1), on_progress=take)
    assert len(taken) == 3
    assert final.over == final.total - 3
    assert (await play(book, tournament)).over == MATCHES


async def test_a_finished_tournament_is_not_run_again(run: Run) -> None:
    with pytest.raises(NotPlayableError, match="tournament 'class' is finished; see `arena tournament show`"):
        await play(run.book, run.tournament)


async def test_a_cancelled_tournament_is_not_run(book: Book) -> None:
    tournament = book.plan()
    book.ledger.cancel(tournament.id)
    with pytest.raises(NotPlayableError, match="tournament 'class' was cancelled; plan a new one"):
        await play(book, tournament)


@pytest.mark.both_databases
async def test_cancelling_the_tournament_elsewhere_ends_its_run(book: Book) -> None:
    tournament = book.plan()

    def cancel(progress: RunProgress) -> None:
        if progress.finished >= 5:
            book.ledger.cancel(tournament.id)

    final = await play(book, tournament, ScriptedExecutor(slots=1), on_progress=cancel)
    assert 5 <= final.finished < MATCHES
    assert final.over == MATCHES
    assert final.is_cancelled


async def test_a_tournament_that_does_not_exist_is_named(book: Book) -> None:
    with pytest.raises(NotFoundError, match="no tournament 123; see: arena tournament list"):
        await run_tournament(book.database, "123", ScriptedExecutor(), book.programs)


async def test_other_rules_than_the_planned_ones_are_refused(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = book.plan()
    monkeypatch.setattr(NIM, "rules_version", "2", raising=False)
    with pytest.raises(NotPlayableError, match="planned for rules version 1 of nim, and 2 is installed"):
        await play(book, tournament)


@pytest.mark.host_fault("stored-version-changed")
async def test_bots_whose_files_were_changed_do_not_play(book: Book) -> None:
    tournament = book.plan()
    main = book.store.directory(book.add_bot("ann").content_hash) / "main.py"
    main.chmod(0o644)
    main.write_text("cheat", encoding="utf-8")
    with pytest.raises(StoreError, match="the stored files were changed"):
        await play(book, tournament)
    assert counts(book, tournament).leased == 0


def after(*durations_us: int, slots: int = 2) -> ResultBatching:
    gathering = ResultBatching(lambda: slots)
    for duration_us in durations_us:
        gathering.count(duration_us)
    return gathering


@pytest.mark.parametrize("durations_us", [(), (1_000_001,), (12_000_000, 50_000), (250_000, 12_000_000, 12_000_000)])
def test_a_result_waits_for_no_other_before_lengths_are_known_and_when_matches_are_long(
    durations_us: tuple[int, ...],
) -> None:
    gathering = after(*durations_us)
    assert gathering.most_in_flight == gathering.least_in_flight == 4
    assert gathering.pause_s(3) == gathering.pause_s(4) == 0


def test_the_shorter_matches_are_the_more_the_executor_is_given() -> None:
    assert [after(length).most_in_flight for length in (1_000_000, 500_000, 250_000)] == [6, 8, 12]
    assert after(1).most_in_flight == after(0).most_in_flight == 2 * (2 + MOST_A_SLOT)


def test_results_wait_until_the_executor_runs_short_and_never_longer_than_it_is_said() -> None:
    gathering = after(20_000)
    assert gathering.pause_s(gathering.least_in_flight) == gathering.pause_s(0) == 0
    assert gathering.pause_s(gathering.least_in_flight + 4) == pytest.approx(0.04)
    assert gathering.pause_s(1000) == GATHER_S


def test_an_executor_that_grows_is_given_more() -> None:
    slots = 1
    gathering = ResultBatching(lambda: slots)
    gathering.count(500_000)
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
