"""Plays the matches of a tournament until none is left or planned; it can be stopped at any point.

Results of short matches are recorded together, and a write that the database did not take is tried again.
"""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from arena.match.result import MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.tournament.circuit_breaker import HostWatch
from arena.tournament.errors import AlreadyRunningError, NotPlayableError
from arena.tournament.locks import Keep, hold
from arena.tournament.match_specs import DEFAULT_LEAK_CHECKS, MatchSpecs, Programs
from arena.tournament.planner import FormatPlanner
from arena.tournament.proof import close_proof
from arena.tournament.run_progress import RunProgress, RunTally
from arena.tournament.seed_key import SeedKey
from arena.tournament.stored import draw_of, format_of
from engine.translatable import Text
from ratings.errors import DatabaseBusyError, DatabaseLostError, RatingsError
from ratings.ledger.leasing import LeasedMatch, LostAttempt
from ratings.ledger.ledger import LeaseRequest, Ledger, Settlement
from ratings.read import tournaments
from ratings.read.tournaments import TournamentRow
from ratings.store.database import Database
from ratings.values.owners import OWNER_LIMITS, OwnerLimits

OnProgress = Callable[[RunProgress], None]

# Only a later run takes leases back, and it knows by the lock that their holder is gone. So the deadline is long.
LEASE_US = 7 * 24 * 3600 * 1_000_000

_WRITE_PAUSE_S, _LOST_PAUSE_S = 0.05, 0.5
"""For others to write in, and for a server to come back in."""
_PAUSE_S = 0.05
"""For others to write in, between two parts of a long history that the planner reads."""
_BRIEF_MS = 500
"""So long a run waits for another's writing before it looks at everything else again."""
PATIENCE_S = 300.0
"""So long it waits for another's writing altogether, if the database's URL says nothing."""
_PATIENCE_AT_END_S = 10.0
GATHER_S = 1.0
"""How long a result waits at most for others; a match that takes as long as this is recorded by itself."""
MOST_A_SLOT = 8
_WEIGHT = 0.1
"""Of a new match in the mean of their lengths."""


class MatchExecutor(Protocol):
    """Where matches are played."""

    def slots(self) -> int:
        """Return how many matches it plays at once; a few more in its queue keep the workers busy."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        """Play one match. Raises MatchLostError when the host failed, never because of a bot."""

    async def cancel(self, match_id: str) -> None:
        """End a match without a report; its `run` raises MatchLostError. Unknown ids are ignored."""


async def run_tournament(
    database: Database,
    tournament_id: str,
    executor: MatchExecutor,
    programs: Programs,
    *,
    on_progress: OnProgress = lambda _: None,
    leak_checks: float = DEFAULT_LEAK_CHECKS,
    keep_logs: bool = False,
    limits: OwnerLimits = OWNER_LIMITS,
) -> RunProgress:
    """Play what is left of a tournament with a started `executor`, and return how far it is then.

    All its matches are over then, unless another process took some of them meanwhile.

    `leak_checks` is the part of the matches (0 to 1) whose deterministic bots are asked again by
    `arena.match.leak_check`. With `keep_logs`, what the bots write to their output is recorded with each match.
    `limits` are those of owners who have none of their own; notes above them are not recorded.
    Cancelling is safe: finished matches are recorded, the others given back. So is a kill at any point.

    Raises NotFoundError; NotPlayableError for a tournament that is over; AlreadyRunningError; the errors of
    `Programs.sandbox_level` before anything is played; HostFailingError when match after match is lost, what the
    executor raises when it can play nothing; the errors of `Programs.find` when a bot's files are gone; DatabaseError
    when results cannot be written, also because another process writes, or a server does not answer, for longer than
    the database's URL says (`busy_timeout`) or PATIENCE_S. After any of them the tournament can be run again.
    """
    with hold(database, tournament_id) as keep:
        row = tournaments.tournament_row(database, tournament_id)
        if row.tournament.cancelled_at_us is not None:
            raise NotPlayableError(
                Text("tournament {name} was cancelled; plan a new one", name=repr(row.tournament.name))
            )
        if row.progress.is_over:
            raise NotPlayableError(
                Text("tournament {name} is finished; see `arena tournament show`", name=repr(row.tournament.name))
            )
        specs = MatchSpecs(row.tournament, row.pool, programs, leak_checks=leak_checks, keep_logs=keep_logs)
        for has_owner in tournaments.owned_entrants(database, row.tournament.id):
            specs.sandbox_level(has_owner=has_owner)  # raises before anything is played
        patience_s = PATIENCE_S if database.patience_s is None else database.patience_s
        ledger = Ledger(database.brief(_BRIEF_MS), limits, SeedKey.beside(programs.root).signing_key())
        run = _Run(
            ledger, executor, specs, partial(_planner, row), _tally(row, executor), on_progress, keep, patience_s
        )
        await run.play()
        row = await run.writer.write(lambda: tournaments.tournament_row(database, tournament_id))
        if row.progress.is_over:
            await run.writer.write(lambda: close_proof(database, tournament_id, programs.root))
        return run.end(row)


def _planner(row: TournamentRow) -> FormatPlanner | None:
    """Return what plans the waves to come, or `None` for a single match, which has none."""
    form = format_of(row.tournament, row.pool)
    return None if form is None else FormatPlanner(form, draw_of(row.tournament, row.pool))


def _tally(row: TournamentRow, executor: MatchExecutor) -> RunTally:
    state, now_s, lanes = row.progress, time.monotonic(), executor.slots()
    return RunTally(finished=state.finished, void=state.void, total=state.total, started_s=now_s, lanes=lanes)


class _Run:
    """One run of one tournament; the lock is held."""

    def __init__(
        self,
        ledger: Ledger,
        executor: MatchExecutor,
        specs: MatchSpecs,
        make_planner: Callable[[], FormatPlanner | None],
        tally: RunTally,
        on_progress: OnProgress,
        keep: Keep,
        patience_s: float,
    ) -> None:
        self._ledger = ledger
        self._executor = executor
        self._specs = specs
        self._make_planner = make_planner
        self._planner = make_planner()
        self._tally = tally
        self._on_progress = on_progress
        self._worker = f"{platform.node()}:{os.getpid()}"
        self._gathering = ResultBatching(executor.slots)
        self._host = HostWatch(self._gathering.least_in_flight)
        self._in_flight: dict[asyncio.Task[MatchReport], LeasedMatch] = {}
        self.writer = RetryingWriter(keep, self._mend, self._report_waiting, patience_s)

    async def play(self) -> None:
        """Play until nothing is left; whatever ends it, no match stays leased and none in flight."""
        try:
            id_, request = self._specs.tournament_id, self._request(self._gathering.most_in_flight)
            await self._go_on(await self.writer.write(lambda: self._ledger.start_run(id_, request, self._planner)))
            while self._in_flight or self._is_behind or self._host.has_resting:
                await self._settle(await self._wait())
        except (DatabaseBusyError, DatabaseLostError):
            self.writer.patience_s = 0.0  # it has waited long enough
            raise
        finally:
            self.writer.patience_s = min(self.writer.patience_s, _PATIENCE_AT_END_S)
            results = [task.result() for task in self._in_flight if _has_report(task)]
            # What cannot be written is why this run ends, or will be why the next does; that one plays it again.
            with suppress(RatingsError, AlreadyRunningError):
                await self.writer.write(lambda: self._ledger.settle(self._specs.tournament_id, results=results))
            with suppress(RatingsError, AlreadyRunningError):
                await self.writer.write(lambda: self._ledger.release(self._specs.tournament_id))
            for task, match in self._in_flight.items():
                if not task.done():
                    await self._executor.cancel(match.match_id)
                task.cancel()
            await asyncio.gather(*self._in_flight, return_exceptions=True)

    def _mend(self) -> None:
        """Give back what a transaction may have leased of whose end nothing was heard, and forget what it read."""
        self._planner = self._make_planner()
        kept = {(match.match_id, match.attempt) for match in self._in_flight.values()}
        self._ledger.release(self._specs.tournament_id, worker=self._worker, besides=kept)

    def _report_waiting(self, waited_s: float, is_lost: bool) -> None:
        self._on_progress(replace(self._tally.at(time.monotonic()), blocked_s=waited_s, is_lost=is_lost))

    @property
    def _is_behind(self) -> bool:
        """Whether the planner has to be asked again before it plans on, whatever is over."""
        return self._planner is not None and self._planner.is_behind

    async def _wait(self) -> list[asyncio.Task[MatchReport]]:
        """Return the matches that have come back: perhaps none, while the planner is behind or one has rested."""
        has_room = len(self._in_flight) < self._gathering.most_in_flight
        timeout = self._host.rest_s(time.monotonic()) if has_room else None
        if self._is_behind:
            timeout = _PAUSE_S if timeout is None else min(timeout, _PAUSE_S)
        if not self._in_flight:
            await asyncio.sleep(timeout or 0)
            return []
        done, unfinished = await asyncio.wait(self._in_flight, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if done and all(map(_has_report, done)):
            await asyncio.sleep(self._gathering.pause_s(len(unfinished)))
        return [task for task in self._in_flight if task.done()]

    def end(self, row: TournamentRow) -> RunProgress:
        """Show and return the progress at the end of the run, as the database says."""
        state, is_cancelled = row.progress, row.tournament.cancelled_at_us is not None
        self._tally.correct(finished=state.finished, void=state.void, total=state.total, is_cancelled=is_cancelled)
        return self._show()

    def _show(self) -> RunProgress:
        progress = self._tally.at(time.monotonic())
        self._on_progress(progress)
        return progress

    def _request(self, limit: int) -> LeaseRequest:
        return LeaseRequest(self._worker, limit, LEASE_US, besides=self._host.resting(time.monotonic()))

    async def _go_on(self, settlement: Settlement) -> None:
        """Hand the matches that were leased to the executor."""
        self._tally.count_planned(settlement.planned)
        for match in settlement.leased:
            task = asyncio.ensure_future(self._executor.run(self._specs.spec(match)))
            self._in_flight[task] = match
            self._host.hand_out(match.match_id)
        if runtimes := self._specs.take_new_runtimes():
            await self.writer.write(lambda: self._ledger.note_runtimes(runtimes))
        self._show()

    async def _settle(self, done: list[asyncio.Task[MatchReport]]) -> None:
        """Record what has come back and take as many new matches, all in one transaction."""
        losses = [(self._in_flight[task], error) for task in done if (error := _loss_of(task)) is not None]
        reports = [task.result() for task in done if _loss_of(task) is None]
        for report in reports:
            self._host.finish(report.match_id)
            self._gathering.count(report.duration_us)
        lost = []
        for match, error in losses:
            counts = self._host.lose(match.match_id, error.cause, still_open=self._tally.open, now_s=time.monotonic())
            lost.append(
                LostAttempt(match.match_id, match.attempt, str(error), error.cause.value, error.evidence, counts=counts)
            )
        settlement = await self.writer.write(
            lambda: self._ledger.settle(
                self._specs.tournament_id,
                results=reports,
                lost=lost,
                request=self._request(max(0, self._gathering.most_in_flight - len(self._in_flight) + len(done))),
                planner=self._planner,
            )
        )
        # What the transaction made true counts; a result is not recorded if the match was cancelled meanwhile.
        for report, is_recorded in zip(reports, settlement.recorded, strict=True):
            if is_recorded:
                self._tally.count_report(report)
        for (match, _), again in zip(losses, settlement.played_again, strict=True):
            self._tally.count_lost(again=again)
            if not again:
                self._host.forget(match.match_id)
        for task in done:
            del self._in_flight[task]
        await self._go_on(settlement)
        in_flight = [match.match_id for match in self._in_flight.values()]
        self._host.check(losses[-1][1] if losses else None, in_flight)


def _loss_of(task: asyncio.Task[MatchReport]) -> MatchLostError | None:
    error = task.exception()
    return error if isinstance(error, MatchLostError) else None


def _has_report(task: asyncio.Task[MatchReport]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


_Written = TypeVar("_Written")


class RetryingWriter:
    """Does one transaction after another, each again until it is done or patience ends."""

    def __init__(
        self, keep: Keep, mend: Callable[[], None], on_wait: Callable[[float, bool], None], patience_s: float
    ) -> None:
        """`keep` looks after the lock of whoever writes, before each transaction.

        After one that failed, of which a server may have done all or nothing, `mend` is called before the next. While
        it waits, `on_wait` is told for how many seconds it has, and whether a server does not answer.
        """
        self._keep = keep
        self._mend = mend
        self._on_wait = on_wait
        self.patience_s = patience_s
        """How long it waits for one transaction to be done."""
        self._is_cut = False

    async def write(self, act: Callable[[], _Written]) -> _Written:
        """Do a transaction. Raises DatabaseBusyError, DatabaseLostError; AlreadyRunningError if the lock was lost."""
        since_s = time.monotonic()
        while True:
            try:
                if self._is_cut:
                    await asyncio.to_thread(self._keep)  # to a machine that is gone, it tries to connect for a while
                    self._mend()
                    self._is_cut = False
                else:
                    self._keep()
                return act()
            except (DatabaseBusyError, DatabaseLostError) as error:
                self._is_cut = True
                is_lost = isinstance(error, DatabaseLostError)
                waited_s = time.monotonic() - since_s
                if waited_s >= self.patience_s:
                    raise
            self._on_wait(waited_s, is_lost)
            await asyncio.sleep(_LOST_PAUSE_S if is_lost else _WRITE_PAUSE_S)


class ResultBatching:
    """Knows from the lengths of the last matches how many more the executor is given, and how long results wait."""

    def __init__(self, slots: Callable[[], int]) -> None:
        """`slots` returns how many matches the executor plays at once. At first, no length is known, and none waits."""
        self._slots = slots
        self._mean_s: float | None = None

    def count(self, duration_us: int) -> None:
        """Count a match that has a result."""
        new_s = duration_us / 1_000_000
        self._mean_s = new_s if self._mean_s is None else self._mean_s + _WEIGHT * (new_s - self._mean_s)

    @property
    def least_in_flight(self) -> int:
        """How many matches keep the executor busy: each that is played has another one waiting there."""
        return 2 * self._slots()

    @property
    def most_in_flight(self) -> int:
        """How many matches the executor is given: beyond that, those whose results will be recorded together."""
        if self._mean_s is None:
            return self.least_in_flight
        return self.least_in_flight + self._slots() * min(MOST_A_SLOT, int(GATHER_S / max(self._mean_s, 1e-6)))

    def pause_s(self, unfinished: int) -> float:
        """Return how long results may wait while so many matches are unfinished: till the executor runs short."""
        if self._mean_s is None:
            return 0.0
        spare = unfinished - self.least_in_flight
        return min(max(spare, 0) * self._mean_s / self._slots(), GATHER_S)
