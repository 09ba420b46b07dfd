"""Where figures stand on an axis, and which figures are written beside it. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps figures from `low` to `high` to places from `start` to `end`, in pixels; either may run downwards."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> str:
        """Return the place of a figure as SVG writes it; what lies outside stands at the border."""
        span = self.high - self.low
        part = 0.5 if span <= 0 else min(1.0, max(0.0, (value - self.low) / span))
        return figure(self.start + part * (self.end - self.start))

    def places(self, values: Iterable[float]) -> list[str]:
        """Return the place of each of many figures, as `at` does, in less time."""
        low, span, start, length = self.low, self.high - self.low, self.start, self.end - self.start
        if span <= 0:
            return [self.at(value) for value in values]
        return [figure(start + min(1.0, max(0.0, (value - low) / span)) * length) for value in values]


def figure(value: float) -> str:
    """Return a number with one digit behind the point at most, as short as it can be."""
    return f"{value:z.1f}".removesuffix(".0")


def ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """Return round figures between two bounds, evenly spaced: 1, 2 or 5 times a power of ten apart."""
    if not low < high:
        return (low,)
    rough = (high - low) / most
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = -floor(-low / step)
    return tuple(step * number for number in range(first, floor(high / step) + 1))


def tick_text(value: float) -> str:
    """Return a round figure without digits that tell nothing."""
    return f"{value:g}".replace("-", "\u2212")
