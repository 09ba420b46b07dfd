"""Plays the matches of a tournament until none is left and none will be planned, and can be stopped at any point.

Everything that must survive is in the database: which matches there are, which are done. A run leases matches in
schedule order, keeps the executor busy with them, and records each result in the transaction that plans the wave which
follows from it and leases the next matches. Results arrive in any order; the book of record rates them in schedule
order. So a run that was killed goes on with `run_tournament`, and the final table does not show it.
"""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from arena.executor.interface import Executor
from arena.hosting.sandbox.choice import DEFAULT_POLICY, SandboxPolicy
from arena.hosting.store import VersionStore
from arena.match.host_faults import MatchLostError
from arena.match.report import MatchReport
from arena.tournament.errors import HostFailingError, NotPlayableError
from arena.tournament.lock import exclusive, lock_path
from arena.tournament.match_specs import DEFAULT_LEAK_CHECKS, SpecMaker, fact_of
from arena.tournament.planner import Planner
from arena.tournament.run_progress import RunProgress, Tally
from ratings.errors import NotFoundError, RatingsError
from ratings.ledger import entry as ledger
from ratings.ledger.entry import LeasedMatch
from ratings.store.database import Engine, Session, read, write
from ratings.store.ids import now_us
from ratings.store.models import Tournament

OnProgress = Callable[[RunProgress], None]

# Only a later run takes leases back, and it knows by the lock that their holder is gone. So the deadline is long.
LEASE_US = 7 * 24 * 3600 * 1_000_000
# Some matches may end their worker whenever they are played. So many different ones in a row, and none finished, mean
# that the host is broken, and going on would make the whole tournament void.
_LOST_IN_A_ROW_PER_MATCH_IN_FLIGHT = 2


async def run_tournament(
    database: Engine,
    tournament_id: str,
    executor: Executor,
    on_progress: OnProgress | None = None,
    *,
    store: VersionStore,
    policy: SandboxPolicy = DEFAULT_POLICY,
    leak_checks: float = DEFAULT_LEAK_CHECKS,
) -> RunProgress:
    """Play what is left of a tournament with a started `executor`; the state at the end.

    Bots are kept as `policy` and their owners want it; `leak_checks` is the part of the matches (0 to 1) whose
    deterministic bots are asked again by `arena.match.retrial`. Cancelling is safe: finished matches are recorded, the
    others given back. So is a kill at any point. Raises NotFoundError; NotPlayableError for a tournament that is over;
    AlreadyRunningError; SandboxUnavailableError before anything is played; HostFailingError when match after match is
    lost, ExecutorFailedError when it can play nothing; StoreError when a bot's files are gone; DatabaseError when
    results cannot be written. After any of them the tournament can be run again.
    """
    with exclusive(_lock_path(database, store, tournament_id)):
        make_specs = partial(SpecMaker.of, store=store, policy=policy, leak_checks=leak_checks)
        run = _open_run(database, tournament_id, executor, on_progress, make_specs)
        return await run.play()


def _lock_path(database: Engine, store: VersionStore, tournament_id: str) -> Path:
    """Beside the database file; a database elsewhere, beside the store."""
    file = database.url.database if database.url.get_backend_name() == "sqlite" else None
    return lock_path(Path(file).resolve() if file and file != ":memory:" else store.root.resolve(), tournament_id)


def _open_run(
    database: Engine,
    tournament_id: str,
    executor: Executor,
    on_progress: OnProgress | None,
    make_specs: Callable[[Session, Tournament], SpecMaker],
) -> _Run:
    with read(database) as session:
        tournament = session.get(Tournament, tournament_id)
        if tournament is None:
            raise NotFoundError(f"no tournament {tournament_id}; `arena tournament list` shows all")
        state = ledger.progress(session, tournament_id)
        _check_playable(tournament, state)
        specs = make_specs(session, tournament)
        waves = Planner.of(session, tournament)
    tally = Tally(finished=state.finished, void=state.void, total=state.total, started_s=time.monotonic())
    return _Run(database, tournament_id, executor, on_progress, specs, waves, tally)


def _check_playable(tournament: Tournament, state: ledger.Progress) -> None:
    if tournament.cancelled_at_us is not None:
        raise NotPlayableError(f"tournament {tournament.name!r} was cancelled; plan a new one")
    if state.is_over:
        raise NotPlayableError(f"tournament {tournament.name!r} is finished; see `arena tournament show`")


class _Run:
    """One run of one tournament; the lock is held."""

    def __init__(
        self,
        database: Engine,
        tournament_id: str,
        executor: Executor,
        on_progress: OnProgress | None,
        specs: SpecMaker,
        waves: Planner | None,
        tally: Tally,
    ) -> None:
        self._database = database
        self._tournament_id = tournament_id
        self._executor = executor
        self._on_progress = on_progress
        self._specs = specs
        self._waves = waves
        self._tally = tally
        # Each match that is played has another one waiting at the executor.
        self._most_in_flight = 2 * executor.slots()
        self._worker = f"{platform.node()}:{os.getpid()}"
        self._in_flight: dict[asyncio.Task[MatchReport], LeasedMatch] = {}

    async def play(self) -> RunProgress:
        """Play until nothing is left; whatever ends it, no match stays leased and none in flight."""
        try:
            self._begin()
            while self._in_flight:
                done, _ = await asyncio.wait(self._in_flight, return_when=asyncio.FIRST_COMPLETED)
                self._settle(done)
        finally:
            await self._end()
        with read(self._database) as session:
            state = ledger.progress(session, self._tournament_id)
            tournament = session.get(Tournament, self._tournament_id)
        is_cancelled = tournament is not None and tournament.cancelled_at_us is not None
        self._tally.correct(finished=state.finished, void=state.void, total=state.total, is_cancelled=is_cancelled)
        self._show()
        return self._tally.at(time.monotonic())

    def _begin(self) -> None:
        with write(self._database) as session:
            ledger.release(session, tournament_id=self._tournament_id)  # what a killed run held
            planned = self._plan(session)
            leased = self._lease(session, self._most_in_flight)
        self._tally.count_planned(planned)
        self._start(leased)
        self._show()

    def _plan(self, session: Session) -> int:
        """Plan the waves that what is recorded makes ready; how many matches they have."""
        return 0 if self._waves is None else self._waves.plan_ready(session)

    def _settle(self, done: Iterable[asyncio.Task[MatchReport]]) -> None:
        """Record what has come back and take as many new matches, all in one transaction."""
        done = list(done)
        with write(self._database) as session:
            outcomes = [self._record(session, task) for task in done]
            planned = self._plan(session)
            leased = self._lease(session, self._most_in_flight - len(self._in_flight) + len(done))
        for task, count in zip(done, outcomes, strict=True):
            del self._in_flight[task]
            count()
        self._tally.count_planned(planned)
        self._start(leased)
        self._show()
        self._check_host(done)

    def _record(self, session: Session, task: asyncio.Task[MatchReport]) -> Callable[[], None]:
        """Write down how a match ended; what is returned counts it, once the transaction holds."""
        match = self._in_flight[task]
        try:
            report = task.result()
        except MatchLostError as error:
            again = ledger.record_host_failure(
                session,
                match_id=match.match_id,
                attempt=match.attempt,
                reason=str(error),
                cause=error.cause.value,
                evidence=error.evidence,
            )
            return lambda: self._tally.count_lost(match.match_id, again=again)
        if not ledger.record_result(session, fact_of(report, self._worker)):
            return lambda: None  # cancelled meanwhile
        return lambda: self._tally.count_report(report)

    def _lease(self, session: Session, limit: int) -> list[LeasedMatch]:
        return ledger.lease(
            session,
            tournament_id=self._tournament_id,
            limit=limit,
            worker=self._worker,
            deadline_us=now_us() + LEASE_US,
        )

    def _start(self, matches: Iterable[LeasedMatch]) -> None:
        for match in matches:
            task = asyncio.ensure_future(self._executor.run(self._specs.spec(match)))
            self._in_flight[task] = match

    def _show(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self._tally.at(time.monotonic()))

    def _check_host(self, done: Iterable[asyncio.Task[MatchReport]]) -> None:
        limit = _LOST_IN_A_ROW_PER_MATCH_IN_FLIGHT * self._most_in_flight
        if self._tally.lost_in_a_row >= limit:
            reason = next((error for task in done if (error := task.exception())), "unknown")
            raise HostFailingError(
                f"the host lost {self._tally.lost_in_a_row} matches in a row, the run stopped; last reason: "
                f"{reason}; `arena doctor` checks this machine, then resume"
            )

    async def _end(self) -> None:
        """Record what has come back unseen, give back the rest, end the matches in flight."""
        # What cannot be written is why this run ends, or will be why the next does; that one plays it again.
        with suppress(RatingsError), write(self._database) as session:
            for task in [task for task in self._in_flight if _has_report(task)]:
                self._record(session, task)
        with suppress(RatingsError), write(self._database) as session:
            ledger.release(session, tournament_id=self._tournament_id)
        for task, match in self._in_flight.items():
            if not task.done():
                await self._executor.cancel(match.match_id)
            task.cancel()
        await asyncio.gather(*self._in_flight, return_exceptions=True)


def _has_report(task: asyncio.Task[MatchReport]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
