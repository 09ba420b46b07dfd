"""The figures of pages that were asked for, beside their goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from benchmarks.web_mix import Kind

MOST_MS, MOST_PAINT_MS, MOST_BYTES = 50.0, 300.0, 200_000
MOST_FETCHED_MS: Final = 3000.0
"""What a page fetches when it is shown already is there within that."""


@dataclass(slots=True)
class Measured:
    """What was seen of a kind of page."""

    kind: Kind
    took_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    ready_ms: list[float] = field(default_factory=list)
    """How long it took until those were there that were being made when they were asked for."""
    sent: int = 0
    """The largest answer as it was sent, in bytes."""
    whole: int = 0
    """The same unpacked."""

    def percentile(self, part: float) -> float:
        """Return how long so many of its requests took at most."""
        return percentile(self.took_ms, part)

    @property
    def most_ms(self) -> float:
        """Return the goal for its 99th percentile."""
        return MOST_FETCHED_MS if self.kind.name.startswith("frames") else MOST_MS

    @property
    def is_page(self) -> bool:
        """Return whether it is a page that people look at, of which the size has a goal."""
        return not self.kind.name.startswith(("api", "frames", "replay", "file"))


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value that `part` of all values do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


def show(found: Sequence[Measured], painted: dict[str, list[float]]) -> bool:
    """Print a table; whether all goals are kept."""
    print(
        f"{'page':<28}{'n':>5}{'p50':>7}{'p99':>8}{'max':>8}{'later':>6}{'ready':>7}{'cpu':>7}"
        f"{'kB':>7}{'sent':>6}{'paint':>7}{'worst':>7}"
    )
    missed: list[str] = []
    for one in found:
        paints = painted.get(one.kind.name, [])
        misses = [
            *(["p99"] if one.percentile(0.99) > one.most_ms else []),
            *(["size"] if one.is_page and one.whole > MOST_BYTES else []),
            *(["paint"] if paints and max(paints) > MOST_PAINT_MS else []),
        ]
        missed += [f"{one.kind.name} ({', '.join(misses)})"] if misses else []
        drawn = f"{median(paints):7.0f}{max(paints):7.0f}" if paints else f"{'':14}"
        print(
            f"{one.kind.name:<28}{len(one.took_ms):5}{one.percentile(0.5):7.1f}{one.percentile(0.99):8.1f}"
            f"{max(one.took_ms, default=0):8.1f}{len(one.ready_ms):6}{max(one.ready_ms, default=0):7.0f}"
            f"{max(one.cpu_ms, default=0):7.1f}{one.whole / 1000:7.1f}"
            f"{one.sent / 1000:6.1f}{drawn}{'  MISSED: ' + ', '.join(misses) if misses else ''}"
        )
    every = [took for one in found if one.most_ms == MOST_MS for took in one.took_ms]
    paints = [took for taken in painted.values() for took in taken] or [0.0]
    largest = max((one.whole for one in found if one.is_page), default=0) / 1000
    print(
        f"all: {len(every)} requests, median {percentile(every, 0.5):.1f} ms, 99 % {percentile(every, 0.99):.1f} ms "
        f"(goal {MOST_MS:g} for every page), longest {max(every, default=0):.1f} ms"
    )
    print(
        f"first contentful paint: median {median(paints):.0f} ms, worst {max(paints):.0f} ms (goal {MOST_PAINT_MS:g})"
    )
    print(f"largest page: {largest:.0f} kB (goal {MOST_BYTES / 1000:g})")
    later = [took for one in found for took in one.ready_ms]
    print(f"being made when asked for: {len(later)}, ready after {max(later, default=0):.0f} ms at most")
    print(f"GOALS MISSED: {'; '.join(missed)}" if missed else "all goals are kept")
    return not missed
