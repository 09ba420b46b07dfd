"""One supervised task for each thing that a service should be doing now; the rest is ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field

from arena.service.supervision import Backoff, Supervisor

REST_S = 15.0
"""How long something that ended rests before it is tried again although nothing about it has changed."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Something to do, until it is done or not wanted any more."""

    part: str
    """What it is called in logs and in health."""
    work: Callable[[], Awaitable[None]]
    state: Hashable = None
    """What it depends on: if this changes, something that had ended begins anew at once."""


@dataclass(slots=True)
class _Member:
    assignment: Assignment
    task: asyncio.Task[None]
    ended_s: float | None = None
    backoff: Backoff = field(default_factory=Backoff)


class Crew:
    """Runs assignments by key, and never two of one key at once."""

    def __init__(self, supervisor: Supervisor, clock: Callable[[], float] = time.monotonic) -> None:
        self._supervisor = supervisor
        self._clock = clock
        self._members: dict[str, _Member] = {}

    def __contains__(self, key: str) -> bool:
        """Return whether something of that key runs or rests."""
        return key in self._members

    async def reconcile(self, wanted: Mapping[str, Assignment]) -> None:
        """Begin what is wanted and does not run, and end what runs and is not wanted any more."""
        gone = [self._members.pop(key) for key in set(self._members) - set(wanted)]
        await self._end(gone)
        for key, assignment in wanted.items():
            self._look_after(key, assignment)

    async def close(self) -> None:
        """End everything that runs."""
        await self.reconcile({})

    def _look_after(self, key: str, assignment: Assignment) -> None:
        member = self._members.get(key)
        if member is None:
            self._members[key] = self._begin(assignment, Backoff())
        elif member.task.done():
            if member.ended_s is None:
                member.ended_s = self._clock()
            has_changed = member.assignment.state != assignment.state
            if has_changed or self._clock() - member.ended_s >= REST_S:
                self._members[key] = self._begin(assignment, member.backoff)

    def _begin(self, assignment: Assignment, backoff: Backoff) -> _Member:
        work = self._supervisor.keep_going(assignment.part, assignment.work, backoff)
        return _Member(assignment, asyncio.create_task(work, name=assignment.part), backoff=backoff)

    async def _end(self, members: list[_Member]) -> None:
        for member in members:
            member.task.cancel()
        await asyncio.gather(*(member.task for member in members), return_exceptions=True)
        for member in members:
            self._supervisor.clear(member.assignment.part)
