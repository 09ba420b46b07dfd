"""Whether what a long run uses stays flat: a straight line through what was seen, and thirds against one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import mean, median

WARM_SHARE = 0.1
"""The first part of a run, which fills caches and starts processes, is left out."""
_Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class Bound:
    """How much the median of the last third may be above that of the first: the larger of a share and an amount."""

    share: float
    amount: float

    def allowed(self, first: float) -> float:
        """Return the growth that is allowed from so much on."""
        return max(self.share * first, self.amount)


@dataclass(frozen=True, slots=True)
class Trend:
    """How one figure went."""

    first: float
    """Its median in the first third."""
    last: float
    """Its median in the last third."""
    slope: float
    """What it gains in a thousand matches, by least squares."""
    margin: float
    """Half of the 95 % interval of the slope."""

    def breaks(self, bound: Bound) -> bool:
        """Return whether it grew by more than is allowed, and not by chance."""
        return self.last - self.first > bound.allowed(self.first) and self.slope > self.margin


def trend(matches: Sequence[int], values: Sequence[float]) -> Trend:
    """Return how `values` went, that were seen after so many `matches`; six at least."""
    start = matches[-1] * WARM_SHARE
    seen = [(at / 1000, value) for at, value in zip(matches, values, strict=True) if at >= start]
    third = max(len(seen) // 3, 1)
    slope, margin = _fit(seen)
    return Trend(median(value for _, value in seen[:third]), median(value for _, value in seen[-third:]), slope, margin)


def _fit(seen: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the slope of the line of least squares through points, and half of its 95 % interval.

    What is seen shortly one after another is alike; the interval is widened by the correlation of neighbours.
    """
    at, value = mean(x for x, _ in seen), mean(y for _, y in seen)
    spread = sum((x - at) ** 2 for x, _ in seen)
    if spread == 0 or len(seen) < 3:
        return 0.0, float("inf")
    slope = sum((x - at) * (y - value) for x, y in seen) / spread
    rest = [y - value - slope * (x - at) for x, y in seen]
    squares = sum(one * one for one in rest)
    if squares == 0:
        return slope, 0.0
    alike = min(max(sum(a * b for a, b in pairwise(rest)) / squares, 0.0), 0.95)
    widened = (1 + alike) / (1 - alike)
    return slope, _Z_95 * sqrt(widened * squares / (len(seen) - 2) / spread)
