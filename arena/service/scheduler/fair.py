"""Start-time fair queueing: who is served next, so that everybody gets a share by weight. Pure; no clock, no I/O.

After Goyal, Vin and Cheng, "Start-time Fair Queueing" (SIGCOMM 1996), with two changes. The cost of a match is only
known when it has ended, so an estimate is charged when it begins and corrected then. And a key may be given a head
start, within which it is served before others; it repays that before it is ahead again.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

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
