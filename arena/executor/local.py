"""Plays matches in long-lived worker processes of this machine, one per core. It never imports gRPC."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Self

from arena.executor.interface import ExecutorFailedError
from arena.executor.worker_handle import WorkerProcess
from arena.executor.worker_pool import WorkerPool
from arena.hosting.cgroups.launcher_groups import sweep_groups
from arena.hosting.errors import HostingError
from arena.hosting.procfs.machine import MEGABYTE, machine_bytes
from arena.hosting.sandbox.host_capacity import check_host
from arena.hosting.user_directories import sweep
from arena.match.live import LiveEvent
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport

OWN_MB = 256, 768
"""How much memory a worker may itself hold at least and at most; between them, its part of OWN_SHARE."""
OWN_SHARE = 0.25
"""The share of the machine's memory that all workers together may hold."""
WARM_SHARE = 0.25
"""The share of the machine's memory that all idle bots together may hold."""


class LocalExecutor:
    """An `arena.executor.interface.Executor` whose workers are processes of this machine."""

    def __init__(
        self, workers: int, *, pin: bool = True, warm_mb: int | None = None, cores: int = 1, profile: Path | None = None
    ) -> None:
        """Use `workers` processes; with `pin`, each stays on so many `cores` together with its bots.

        With more than one core a worker shares none with another: raises ValueError if this machine has too few. In a
        match one bot computes at a time, so each has all of its worker's. All idle bots together may hold `warm_mb`
        megabytes; None stands for a share of the machine's memory. Each worker writes down where its time goes in
        a file of the directory `profile`, called by its process id (`arena.profiling`); by default it does not.
        """
        if workers < 1:
            raise ValueError(f"{workers} workers; at least 1 is needed")
        self._count = workers
        self._cores = _cores(workers, cores) if pin else [()] * workers
        profiling = () if profile is None else ("--profile", str(profile))
        self._options = (*memory_options(workers, warm_mb), *profiling)
        self._pool = WorkerPool(lambda _, why: self._pool.fail(ExecutorFailedError(why)))

    async def __aenter__(self) -> Self:
        """Start the workers; `run` may be called at once. Raises ExecutorFailedError if there is no room for them."""
        try:
            check_host(self._count)
        except HostingError as error:
            raise ExecutorFailedError(str(error)) from error
        sweep()
        sweep_groups()
        calls = self._pool.dispatch, self._pool.take_back, self._pool.play_apart
        for cores in self._cores:
            self._pool.add(WorkerProcess(cores, *calls, self._options, on_lost=self._pool.move))
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End every worker with its bots; matches that were not finished are lost."""
        await self._pool.close()

    def slots(self) -> int:
        """Return how many matches are played at once, one per worker; as many again, waiting, keep them busy."""
        return self._count

    def count_warm_bots(self) -> int:
        return self._pool.count_warm_bots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        return await self._pool.run(spec)

    async def cancel(self, match_id: str) -> None:
        self._pool.cancel(match_id)

    def watch(self, match_id: str, *, after: int = -1, logs: Iterable[int] = ()) -> AsyncGenerator[LiveEvent, None]:
        return self._pool.watch(match_id, after, logs)


def memory_options(workers: int, warm_mb: int | None) -> tuple[str, ...]:
    """Return the options of each of so many workers of one machine, which share what idle bots and they may hold."""
    share = (default_warm_mb() if warm_mb is None else warm_mb) // workers
    least, most = OWN_MB
    return (
        "--warm-memory",
        str(share),
        "--memory",
        str(min(max(int(machine_bytes() * OWN_SHARE) // MEGABYTE // workers, least), most)),
    )


def default_warm_mb() -> int:
    """Return how many megabytes the idle bots of all workers together may hold by default."""
    return int(machine_bytes() * WARM_SHARE) // MEGABYTE


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
