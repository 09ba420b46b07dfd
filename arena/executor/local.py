"""Plays matches in long-lived worker processes of this machine, one per core. It never imports gRPC.

Each worker has one match to play and one that waits for it, so it is never idle while there is work.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from arena.executor.elimination import find_guilty, without
from arena.executor.interface import ExecutorFailedError, NotWatchableError
from arena.executor.worker_process import Job, WorkerProcess
from arena.hosting.falls import is_fall
from arena.hosting.groups.holder import sweep_groups
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.proc.machine import MEGABYTE, machine_bytes
from arena.hosting.runtime_directory import sweep
from arena.match.host_faults import HostCause, MatchLostError
from arena.match.live import LiveEvent
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec

MATCHES_A_WORKER = 2
MOST_DEATHS_AT_START = 3
MOST_FALLS = 2
"""With how many workers a match may fall and be played again for nothing."""
STOP_GRACE_S = 8.0
OWN_MB = 256, 768
"""How much memory a worker may itself hold at least and at most; between them, its part of OWN_SHARE."""
OWN_SHARE = 0.25
"""The share of the machine's memory that all workers together may hold."""
WARM_SHARE = 0.25
"""The share of the machine's memory that all idle bots together may hold."""


class LocalExecutor:
    """An `arena.executor.interface.Executor` whose workers are processes of this machine, and which shows matches."""

    def __init__(self, workers: int, *, pin: bool = True, warm_mb: int | None = None, cores: int = 1) -> None:
        """Use `workers` processes; with `pin`, each stays on so many `cores` together with its bots.

        With more than one core a worker shares none with another: raises ValueError if this machine has too few. In a
        match one bot computes at a time, so each has all of its worker's. All idle bots together may hold `warm_mb`
        megabytes; None stands for a share of the machine's memory.
        """
        if workers < 1:
            raise ValueError(f"{workers} workers; at least 1 is needed")
        self._count = workers
        self._cores = _cores(workers, cores) if pin else [()] * workers
        share = (default_warm_mb() if warm_mb is None else warm_mb) // workers
        self._options = ("--warm-memory", str(share), "--memory", str(_own_mb(workers)))
        self._waiting: deque[Job] = deque()
        self._jobs: dict[str, Job] = {}
        self._workers: list[WorkerProcess] = []
        self._keepers: list[asyncio.Task[None]] = []
        self._failure: ExecutorFailedError | None = None

    async def __aenter__(self) -> Self:
        """Start the workers; `run` may be called at once."""
        sweep()
        sweep_groups()
        calls = self._dispatch, self._take_back, self._play_apart
        self._workers = [WorkerProcess(cores, *calls, self._options) for cores in self._cores]
        self._keepers = [asyncio.create_task(self._keep_running(worker)) for worker in self._workers]
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End every worker with its bots; matches that were not finished are lost."""
        self._failure = self._failure or ExecutorFailedError("the executor was closed")
        for worker in self._workers:
            worker.stop()
        try:
            async with asyncio.timeout(STOP_GRACE_S):
                await asyncio.gather(*map(asyncio.shield, self._keepers), return_exceptions=True)
        except TimeoutError:
            pass
        finally:
            for worker in self._workers:
                worker.kill()
            self._fail_all()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    def slots(self) -> int:
        """Return how many matches are played at once, one per worker; as many again, waiting, keep them busy."""
        return self._count

    def count_warm_bots(self) -> int:
        """Return how many processes of bots all workers together kept when their last matches ended."""
        return sum(worker.warm_bots for worker in self._workers)

    async def run(self, spec: MatchSpec) -> MatchReport:
        """Play one match. Raises MatchLostError, and ExecutorFailedError when no worker can be started."""
        if self._failure is not None:
            raise self._failure
        if spec.match_id in self._jobs:
            raise ValueError(f"match {spec.match_id} is being played already")
        job = self._jobs[spec.match_id] = Job(spec, self._tell_watched)
        self._waiting.append(job)
        self._dispatch()
        try:
            return await job.report
        except asyncio.CancelledError:
            self._withdraw(job)
            raise
        finally:
            del self._jobs[spec.match_id]

    async def cancel(self, match_id: str) -> None:
        job = self._jobs.get(match_id)
        if job is not None:
            self._withdraw(job)
            job.fail(MatchLostError("cancelled", HostCause.CANCELLED))

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        """Return the events of a match (`arena.match.live`) that follow the sequence `after`, to its end.

        What has happened comes first; a match that waits for its turn is waited for. Logs come of the seats in `logs`.
        Close the generator (`contextlib.aclosing`) when nobody wants more. Raises NotWatchableError; the generator
        raises FellBehindError.
        """
        job = self._jobs.get(match_id)
        if job is None:
            raise NotWatchableError(match_id)
        return job.channel.watch(after, logs)

    def _tell_watched(self, job: Job) -> None:
        for worker in self._workers:
            worker.tell_watched(job)

    def _withdraw(self, job: Job) -> None:
        if job in self._waiting:
            self._waiting.remove(job)
        for worker in self._workers:
            worker.withdraw(job)

    def _take_back(self, job: Job) -> None:
        """Put a match whose worker died before it began at the head of the queue."""
        if not job.report.done():
            self._waiting.appendleft(job)
            self._dispatch()

    def _play_apart(self, job: Job, death: MatchLostError) -> None:
        """Play a match again with which a worker fell, on one that serves each of its bots apart.

        If even that one falls, it was none of their connections, and each bot is tried alone.
        """
        if job.is_trial or job.falls >= MOST_FALLS:
            job.fail(death)
        elif not job.report.done():
            job.begin_again()
            if job.falls == 1:
                self._take_back(job)
            else:
                trial = asyncio.create_task(self._play_without_guilty(job, death))
                job.report.add_done_callback(lambda _: trial.cancel())

    async def _play_without_guilty(self, job: Job, death: MatchLostError) -> None:
        """Find out with whom workers fall, and play the match without; if it is nobody, the match is lost."""
        guilty: Mapping[int, Mapping[str, Any]] = {}
        with suppress(BotDirectoryError):  # there is nobody to sit in the other seats
            guilty = await find_guilty(job.spec, self._falls_with)
        if guilty:
            job.spec = without(job.spec, guilty)
            self._take_back(job)
        else:
            job.fail(death)

    async def _falls_with(self, spec: MatchSpec) -> str:
        """Play a match that does not count, and return how the worker fell, or an empty text."""
        trial = Job(spec)
        trial.is_trial, trial.falls = True, 1
        self._take_back(trial)
        try:
            await trial.report
        except MatchLostError as error:
            is_death = error.cause is HostCause.WORKER_DIED
            return str(error) if is_death and is_fall(_code_of(error), error.evidence.get("stderr", "")) else ""
        finally:
            self._withdraw(trial)
        return ""

    def _dispatch(self) -> None:
        """Hand out what waits, to the worker with the least to do.

        Nobody gets a second match while a worker is starting: it would wait, perhaps for long, behind the first.
        """
        most = MATCHES_A_WORKER if all(worker.is_ready for worker in self._workers) else 1
        for job in tuple(self._waiting):
            ready = [worker for worker in self._workers if worker.is_ready and worker.load < most]
            if not ready:
                return
            fit = [worker for worker in ready if worker.is_apart or not job.falls]
            if fit:
                self._waiting.remove(job)
                min(fit, key=lambda worker: worker.load).play(job)

    async def _keep_running(self, worker: WorkerProcess) -> None:
        """Run a worker, again whenever it dies; fail all matches when that cannot go on."""
        try:
            await self._run_again_and_again(worker)
            why = f"a worker ended {MOST_DEATHS_AT_START} times before it was ready; the last said: "
            why += worker.last_words() or "nothing"
        except Exception as error:  # nobody awaits this task, so the error would be lost and `run` would wait for ever
            why = f"a worker cannot be served: {type(error).__name__}: {error}"
        if self._failure is None:
            self._failure = ExecutorFailedError(why)
        self._fail_all()

    async def _run_again_and_again(self, worker: WorkerProcess) -> None:
        deaths = 0
        while deaths < MOST_DEATHS_AT_START and self._failure is None:
            was_ready = await worker.run()
            deaths = 0 if was_ready else deaths + 1

    def _fail_all(self) -> None:
        self._waiting.clear()
        for job in self._jobs.values():
            job.fail(self._failure or MatchLostError("the executor was closed"))


def _code_of(death: MatchLostError) -> int:
    """Return the exit code of which a death tells, negative for a signal."""
    return int(death.evidence.get("exit_status") or -death.evidence.get("signal", 0))


def default_warm_mb() -> int:
    """Return how many megabytes the idle bots of all workers together may hold by default."""
    return int(machine_bytes() * WARM_SHARE) // MEGABYTE


def _own_mb(workers: int) -> int:
    least, most = OWN_MB
    return min(max(int(machine_bytes() * OWN_SHARE) // MEGABYTE // workers, least), most)


def _cores(workers: int, each: int) -> list[tuple[int, ...]]:
    """Return the cores of each worker among those this process may use: one in turn, or `each` of its own."""
    if not hasattr(os, "sched_getaffinity"):
        return [()] * workers
    available = sorted(os.sched_getaffinity(0))
    if each == 1:
        return [(available[index % len(available)],) for index in range(workers)]
    if workers * each > len(available):
        raise ValueError(f"{workers} workers with {each} cores each on a machine of {len(available)}")
    return [tuple(available[index * each : (index + 1) * each]) for index in range(workers)]
