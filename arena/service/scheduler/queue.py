"""The matches that wait for a slot, and which of them begins next: fair queueing by weight. No tasks, no I/O."""

from __future__ import annotations

import asyncio
import enum
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.tournament.rate_limit import MatchRateLimit

K = TypeVar("K", bound=Hashable)

FIRST_ESTIMATE = 1.0
"""The cost that is charged for a key of which nothing is known yet."""
_LEAST_COST = 1e-4
_MEMORY = 0.2
"""The weight of the newest cost in the running mean of a key."""


@dataclass(slots=True)
class _Account:
    weight: float
    head_start: float
    finish: float = 0.0
    """The virtual time at which all that it was served is paid for."""
    mean_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Charge(Generic[K]):
    """What a key was charged for something that has not ended yet."""

    key: K
    estimate: float


class FairQueue(Generic[K]):
    """Shares a resource among keys by weight. A key without an account counts as one of weight 1."""

    def __init__(self) -> None:
        self._accounts: dict[K, _Account] = {}
        self._now = 0.0
        """The virtual time: how far everybody who waits has been served at least, for each unit of weight."""

    def add(self, key: K, weight: float, head_start: float = 0.0) -> None:
        """Give a key its weight, and how much it may be served ahead of its share."""
        self._accounts[key] = _Account(weight, head_start / weight)

    def remove(self, key: K) -> None:
        """Forget a key, which is served no more."""
        self._accounts.pop(key, None)

    def mean_cost(self, key: K) -> float:
        """Return what serving the key costs by what it cost lately."""
        mean = self._account(key).mean_cost
        return FIRST_ESTIMATE if mean is None else mean

    def choose(self, waiting: Collection[K]) -> K:
        """Return who of those that wait is served next; of equals the first one. `waiting` must not be empty."""
        self._now = max(self._now, min(self._start(key) for key in waiting))
        return min(waiting, key=lambda key: self._start(key) - self._account(key).head_start)

    def begin(self, key: K) -> Charge[K]:
        """Charge the key for what it is served now."""
        charge = Charge(key, self.mean_cost(key))
        account = self._account(key)
        account.finish = self._start(key) + charge.estimate / account.weight
        return charge

    def end(self, charge: Charge[K], cost: float, *, is_typical: bool = True) -> None:
        """Correct what was charged to what it cost, which says what the next one will cost if it `is_typical`."""
        account = self._accounts.get(charge.key)
        if account is None:
            return
        paid = max(_LEAST_COST, cost)
        account.finish += (paid - charge.estimate) / account.weight
        if is_typical:
            old = paid if account.mean_cost is None else account.mean_cost
            account.mean_cost = old + _MEMORY * (paid - old)

    def _start(self, key: K) -> float:
        """Return the virtual time at which the key is due: who was idle is due now, and not earlier."""
        return max(self._account(key).finish, self._now)

    def _account(self, key: K) -> _Account:
        return self._accounts.setdefault(key, _Account(1.0, 0.0))


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
