"""How many results of short matches are recorded together: one transaction costs nearly as much for one as for ten.

A result waits only while the executor has more to play than it can hold, and never long. Pure: it is told the time.
"""

from __future__ import annotations

from collections.abc import Callable

GATHER_S = 0.5
"""How long a result waits at most for others; a match that takes as long as this is recorded by itself."""
MOST_A_SLOT = 8
_WEIGHT = 0.1
"""Of a new match in the mean of their lengths."""


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
