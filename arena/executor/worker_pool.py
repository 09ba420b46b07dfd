"""The matches of an executor and the workers that play them, wherever those are: who gets which, and what is lost.

Where workers crash at a match, each of its bots plays alone, with bots of the arena in the other seats, to find out
which one brings them down.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from arena.executor.child_handle import TransportLostError
from arena.executor.interface import ExecutorFailedError, NotWatchableError
from arena.executor.worker_handle import ExecutorJob, WorkerProcess, unserved
from arena.hosting.errors import is_crash
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.sample_bots import sample_directory
from arena.match.live import LiveEvent
from arena.match.result import HostCause, MatchLostError
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.worker_report import MatchReport
from engine.translatable import Text

MATCHES_A_WORKER = 2
MOST_DEATHS_AT_START = 3
MOST_CRASHES = 2
"""With how many workers a match may fall and be played again for nothing."""
MOST_MOVES = 3
"""With how many machines a match may be lost and be played again for nothing."""
STOP_GRACE_S = 8.0
STAND_IN = "random"
"""The sample bot that sits in the other seats."""


class WorkerPool:
    """Matches that wait, and workers that come and go. Everything runs in one event loop."""

    def __init__(self, on_end: Callable[[WorkerProcess, str], None]) -> None:
        """Call `on_end` with a worker that cannot be run any more, and why."""
        self._on_end = on_end
        self._waiting: deque[ExecutorJob] = deque()
        self._jobs: dict[str, ExecutorJob] = {}
        self._keepers: dict[WorkerProcess, asyncio.Task[None]] = {}
        self._failure: ExecutorFailedError | None = None

    # Workers.

    @property
    def workers(self) -> list[WorkerProcess]:
        """The workers that are kept running."""
        return list(self._keepers)

    @property
    def failure(self) -> ExecutorFailedError | None:
        """Why nothing can be played any more, if that is so."""
        return self._failure

    @property
    def waiting(self) -> list[ExecutorJob]:
        """The matches that no worker has."""
        return list(self._waiting)

    def add(self, worker: WorkerProcess) -> None:
        """Keep a worker running, which was made with the methods of this pool."""
        self._keepers[worker] = asyncio.create_task(self._keep_running(worker))

    def remove(self, worker: WorkerProcess) -> None:
        """Forget a worker that has ended. Matches that only such a one may play are for all if there is none left."""
        self._keepers.pop(worker, None)
        if not any(other.is_apart for other in self._keepers):
            for job in self._waiting:
                job.crashes = 0
        self.dispatch()

    def fail(self, failure: ExecutorFailedError) -> None:
        """Fail all matches, those to come as well; what failed first is told."""
        self._failure = self._failure or failure
        self._waiting.clear()
        for job in self._jobs.values():
            job.fail(self._failure)

    async def close(self) -> None:
        """End every worker with its bots; matches that were not finished are lost."""
        self._failure = self._failure or ExecutorFailedError(Text("the executor was closed"))
        for worker in self._keepers:
            worker.stop()
        keepers = list(self._keepers.values())
        try:
            async with asyncio.timeout(STOP_GRACE_S):
                await asyncio.gather(*map(asyncio.shield, keepers), return_exceptions=True)
        except TimeoutError:
            pass
        finally:
            for worker in self._keepers:
                worker.kill()
            self.fail(self._failure)
        await asyncio.gather(*keepers, return_exceptions=True)

    def count_warm_bots(self) -> int:
        """Return how many processes of bots all workers together kept when their last matches ended."""
        return sum(worker.warm_bots for worker in self._keepers)

    # Matches.

    async def run(self, spec: MatchSpec) -> MatchReport:
        """Play one match. Raises MatchLostError, and ExecutorFailedError when nothing can be played."""
        if self._failure is not None:
            raise self._failure
        if spec.match_id in self._jobs:
            raise ValueError(f"match {spec.match_id} is being played already")
        job = self._jobs[spec.match_id] = ExecutorJob(spec, self._update_watch)
        self._waiting.append(job)
        self._hand_out((job,))  # nobody who has room can play what has waited longer
        try:
            return await job.report
        except asyncio.CancelledError:
            self._withdraw(job)
            raise
        finally:
            del self._jobs[spec.match_id]

    def cancel(self, match_id: str) -> None:
        """End a match without a report: its `run` raises MatchLostError. Unknown ids are ignored."""
        job = self._jobs.get(match_id)
        if job is not None:
            self._withdraw(job)
            job.fail(MatchLostError(Text("cancelled"), HostCause.CANCELLED))

    def refuse(self, job: ExecutorJob, error: MatchLostError) -> None:
        """Fail a match that waits, because nobody can play it."""
        self._withdraw(job)
        job.fail(error)

    def watch(self, match_id: str, after: int, logs: Iterable[int]) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match, as `Executor.watch` says. Raises NotWatchableError."""
        job = self._jobs.get(match_id)
        if job is None:
            raise NotWatchableError(match_id)
        return job.channel.watch(after, logs)

    def take_back(self, job: ExecutorJob) -> None:
        """Put a match whose worker died before it began at the head of the queue."""
        if not job.report.done():
            self._waiting.appendleft(job)
            self.dispatch()

    def move(self, job: ExecutorJob, why: str) -> None:
        """Play a match again whose machine was lost with it, elsewhere; not for ever, as it may be what ends them."""
        job.moves += 1
        if job.moves > MOST_MOVES:
            job.fail(MatchLostError(why, HostCause.NODE_LOST))
        elif not job.report.done():
            job.begin_again(why)
            self.take_back(job)

    def play_apart(self, job: ExecutorJob, death: MatchLostError) -> None:
        """Play a match again with which a worker crashed, on one that serves each of its bots apart.

        If even that one crashes, it was none of their connections, and each bot is tried alone.
        """
        if job.is_trial or job.crashes >= MOST_CRASHES:
            job.fail(death)
        elif not job.report.done():
            job.crashes += 1
            job.begin_again()
            if job.crashes == 1:
                self.take_back(job)
            else:
                trial = asyncio.create_task(self._play_without_guilty(job, death))
                job.report.add_done_callback(lambda _: trial.cancel())

    def dispatch(self) -> None:
        """Hand out what waits, to the worker with the least to do.

        Nobody gets a second match while a worker is starting: it would wait, perhaps for long, behind the first.
        """
        self._hand_out(tuple(self._waiting))

    def _hand_out(self, jobs: Sequence[ExecutorJob]) -> None:
        if not jobs:
            return
        most = MATCHES_A_WORKER if all(worker.is_ready for worker in self._keepers) else 1
        room: list[list[WorkerProcess]] = [[] for _ in range(most)]  # by how much they have to do
        for worker in self._keepers:
            if worker.is_ready and worker.load < most:
                room[worker.load].append(worker)
        refused: set[object] = set()
        for job in jobs:
            if not any(room):
                return
            if (fit := _first_fit(job, room, refused)) is not None:
                self._waiting.remove(job)
                room[fit.load].remove(fit)
                fit.play(job)
                if fit.load < most:
                    room[fit.load].append(fit)

    def _update_watch(self, job: ExecutorJob) -> None:
        for worker in self._keepers:
            worker.update_watch(job)

    def _withdraw(self, job: ExecutorJob) -> None:
        if job in self._waiting:
            self._waiting.remove(job)
        for worker in self._keepers:
            worker.withdraw(job)

    async def _play_without_guilty(self, job: ExecutorJob, death: MatchLostError) -> None:
        """Find out with whom workers fall, and play the match without; if it is nobody, the match is lost."""
        guilty: Mapping[int, Mapping[str, Any]] = {}
        with suppress(BotDirectoryError):  # there is nobody to sit in the other seats
            guilty = await find_guilty(job.spec, self._crashes_with)
        if guilty:
            job.spec = without(job.spec, guilty)
            self.take_back(job)
        else:
            job.fail(death)

    async def _crashes_with(self, spec: MatchSpec) -> str:
        """Play a match that does not count, and return how the worker crashed, or an empty text."""
        trial = ExecutorJob(spec)
        trial.is_trial, trial.crashes = True, 1
        self.take_back(trial)
        try:
            await trial.report
        except MatchLostError as error:
            # The exit code of which the error tells, negative for a signal.
            code = int(error.evidence.get("exit_status") or -error.evidence.get("signal", 0))
            is_death = error.cause is HostCause.WORKER_DIED
            return str(error) if is_death and is_crash(code, error.evidence.get("stderr", "")) else ""
        finally:
            self._withdraw(trial)
        return ""

    async def _keep_running(self, worker: WorkerProcess) -> None:
        """Run a worker, again whenever it dies, and tell when that cannot go on."""
        try:
            deaths = 0
            while deaths < MOST_DEATHS_AT_START and self._failure is None:
                was_ready = await worker.run()
                deaths = 0 if was_ready else deaths + 1
            why = f"a worker ended {MOST_DEATHS_AT_START} times before it was ready; the last said: "
            why += worker.last_words() or "nothing"
        except TransportLostError as error:
            why = str(error)
        except Exception as error:  # nobody awaits this task, so the error would be lost and `run` would wait for ever
            why = unserved(error)
        if self._failure is None:
            try:
                self._on_end(worker, why)
            except Exception as error:  # as above
                self.fail(ExecutorFailedError(unserved(error)))


def _first_fit(job: ExecutorJob, room: Sequence[Sequence[WorkerProcess]], refused: set[object]) -> WorkerProcess | None:
    """Return the first worker that can play a match, or `None`; `refused` gathers who need not be asked again."""
    needs = (
        bool(job.crashes),
        frozenset((seat.directory, seat.runtime, seat.sandbox) for seat in job.spec.seats if seat.barred is None),
    )
    if needs in refused:
        return None
    for worker in itertools.chain.from_iterable(room):
        kind = worker.place, worker.is_apart, needs
        if kind not in refused:
            if worker.takes(job):
                return worker
            refused.add(kind)
    refused.add(needs)
    return None


async def find_guilty(
    spec: MatchSpec, crashes_with: Callable[[MatchSpec], Awaitable[str]]
) -> dict[int, Mapping[str, Any]]:
    """Return the evidence against each seat whose bot brings down a worker when no other stranger is on it.

    `crashes_with` plays a match, and returns how the worker crashed, or an empty text if it did not. So nobody is
    blamed for what another one did; who does nothing when it is alone is not blamed either.
    """
    directory = sample_directory(STAND_IN)
    command = sys.executable, str(directory / "main.py")
    crashes: dict[str, str] = {}
    for index, seat in enumerate(spec.seats):
        if seat.version not in crashes:
            seats = [SeatSpec(f"arena-{STAND_IN}", STAND_IN, str(directory), command, one.seed) for one in spec.seats]
            seats[index] = seat
            alone = replace(spec, seats=tuple(seats), uses_fresh_bots=True, checks_leaks=False, keeps_logs=False)
            crashes[seat.version] = await crashes_with(alone)
    return {index: {"worker": crashes[seat.version]} for index, seat in enumerate(spec.seats) if crashes[seat.version]}


def without(spec: MatchSpec, guilty: Mapping[int, Mapping[str, Any]]) -> MatchSpec:
    """Return the match in which these seats are barred, whatever the evidence against them."""
    seats = (replace(seat, barred=guilty.get(index)) for index, seat in enumerate(spec.seats))
    return replace(spec, seats=tuple(seats))
