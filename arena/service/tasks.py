"""One supervised task for each thing that a service should be doing now; the rest is ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field

from arena.service.supervision import RestartBackoff, Supervisor

REST_S = 15.0
"""How long something that ended rests before it is tried again although nothing about it has changed."""


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Something to do, until it is done or not wanted any more."""

    part: str
    """What it is called in logs and in health."""
    work: Callable[[], Awaitable[None]]
    state: Hashable = None
    """What it depends on: if this changes, something that had ended begins anew at once."""


@dataclass(slots=True)
class _RunningTask:
    spec: TaskSpec
    task: asyncio.Task[None]
    ended_s: float | None = None
    backoff: RestartBackoff = field(default_factory=RestartBackoff)


class SupervisedTasks:
    """Runs tasks by key, and never two of one key at once."""

    def __init__(self, supervisor: Supervisor, clock: Callable[[], float] = time.monotonic) -> None:
        self._supervisor = supervisor
        self._clock = clock
        self._running: dict[str, _RunningTask] = {}

    def __contains__(self, key: str) -> bool:
        """Return whether something of that key runs or rests."""
        return key in self._running

    async def reconcile(self, wanted: Mapping[str, TaskSpec]) -> None:
        """Begin what is wanted and does not run, and end what runs and is not wanted any more."""
        gone = [self._running.pop(key) for key in set(self._running) - set(wanted)]
        await self._end(gone)
        for key, spec in wanted.items():
            self._look_after(key, spec)

    async def close(self) -> None:
        """End everything that runs."""
        await self.reconcile({})

    def _look_after(self, key: str, spec: TaskSpec) -> None:
        running = self._running.get(key)
        if running is None:
            self._running[key] = self._begin(spec, RestartBackoff())
        elif running.task.done():
            if running.ended_s is None:
                running.ended_s = self._clock()
            has_changed = running.spec.state != spec.state
            if has_changed or self._clock() - running.ended_s >= REST_S:
                self._running[key] = self._begin(spec, running.backoff)

    def _begin(self, spec: TaskSpec, backoff: RestartBackoff) -> _RunningTask:
        work = self._supervisor.keep_going(spec.part, spec.work, backoff)
        return _RunningTask(spec, asyncio.create_task(work, name=spec.part), backoff=backoff)

    async def _end(self, ended: list[_RunningTask]) -> None:
        for running in ended:
            running.task.cancel()
        await asyncio.gather(*(running.task for running in ended), return_exceptions=True)
        for running in ended:
            self._supervisor.clear(running.spec.part)
