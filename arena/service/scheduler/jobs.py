"""The matches that wait for a slot, by the activity that wants them, and which of them may begin. No tasks, no I/O."""

from __future__ import annotations

import asyncio
import enum
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.service.scheduler.fair import Charge
from arena.tournament.rate_limit import MatchRateLimit

OwnerLimit = Callable[[str], int]
"""Returns how many matches with bots of an owner may run at the same time; 0 for no limit."""


class MatchPurpose(enum.StrEnum):
    """What a match is played for; each kind has a weight."""

    ADMISSION = "admission"
    LADDER = "ladder"
    TOURNAMENT = "tournament"
    COMPARISON = "comparison"


@dataclass(eq=False, slots=True)
class QueuedMatch:
    """A match that was ordered, and its report to come."""

    spec: MatchSpec
    queue: MatchQueue
    needs_slot: bool
    report: asyncio.Future[MatchReport]
    begun_s: float = 0.0
    charges: tuple[Charge[MatchPurpose], Charge[MatchQueue]] | None = None
    part: float = 1.0
    """The part of a slot that it holds: less than 1 if it began while others of the same worker ran before it."""
    task: asyncio.Task[MatchReport] | None = None
    """Plays it, once it has begun."""
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it does not wait any more: it has begun, or was given up."""

    @property
    def owners(self) -> frozenset[str]:
        """Return the owners of its bots, whose names are `owner/name`."""
        names = (seat.name.partition("/") for seat in self.spec.seats)
        return frozenset(owner for owner, slash, _ in names if slash)


@dataclass(eq=False, slots=True)
class MatchQueue:
    """One activity, such as a ladder or a tournament: its matches come in the order in which it wants them."""

    kind: MatchPurpose
    name: str
    pace: MatchRateLimit | None = None
    waiting: dict[str, QueuedMatch] = field(default_factory=dict)
    """By match id, in order."""
    running: dict[str, QueuedMatch] = field(default_factory=dict)


class OwnerMatchCounts:
    """Counts the running matches of each owner, and says who may begin another one."""

    def __init__(self, limit: OwnerLimit) -> None:
        self._limit = limit
        self._running: Counter[str] = Counter()

    def allows(self, job: QueuedMatch) -> bool:
        """Return whether no owner of the match is at the limit."""
        return all(not (most := self._limit(owner)) or self._running[owner] < most for owner in job.owners)

    def begin(self, job: QueuedMatch) -> None:
        """Count a match that begins."""
        self._running.update(job.owners)

    def end(self, job: QueuedMatch) -> None:
        """Count a match that has ended."""
        self._running.subtract(job.owners)
        self._running += Counter()  # drops those without a match


def next_job(
    queue: MatchQueue, owners: OwnerMatchCounts, now_s: float, resting: Collection[str] = ()
) -> QueuedMatch | None:
    """Return the first match of an activity that may begin now, or `None`; those that are `resting` may not."""
    if not queue.waiting or (queue.pace is not None and queue.pace.wait_s(now_s) > 0):
        return None
    return next((job for name, job in queue.waiting.items() if name not in resting and owners.allows(job)), None)


def without_slot(queue: MatchQueue, now_s: float) -> list[QueuedMatch]:
    """Return the matches of an activity that need no slot and may begin now, as many as its pace allows at once."""
    found = [job for job in queue.waiting.values() if not job.needs_slot]
    return found if queue.pace is None else found[: queue.pace.count(now_s)]
