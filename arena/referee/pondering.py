"""Detects bots that think in others' time, by the CPU they use while another seat decides for over 20 ms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.referee.meter import Meter
from engine.text import Text

WINDOW_S = 5.0
MOST_SHARE = 0.2
"""How much of one core a waiting bot may use."""


@dataclass(slots=True)
class _Waiting:
    """What one seat used while it had nothing to decide."""

    since: float | None = None
    """The last look, by the event loop's clock; `None` before the first look at a decision."""
    cpu_us: int = 0
    wall_s: float = 0.0
    burnt_us: int = 0


@dataclass(frozen=True, slots=True)
class Pondering:
    """A seat that thought in others' time."""

    seat: int
    share: float
    """How much of one core it used."""
    wall_s: float

    def explain(self) -> str:
        """Return the explanation of its fault, one sentence."""
        return Text(
            "referee.used_core_during_s_which",
            "It used {share} of a core during {seconds} s in which others decided; thinking in others' time "
            "is not allowed, and up to {most} is overlooked.",
            share=f"{self.share:.0%}",
            seconds=f"{self.wall_s:.1f}",
            most=f"{MOST_SHARE:.0%}",
        )


class PonderWatch:
    """Judges the waiting seats of one match by the CPU they use."""

    __slots__ = ("_meters", "_seats")

    def __init__(self, meters: Sequence[Meter | None]) -> None:
        self._meters = meters
        self._seats = [_Waiting() for _ in meters]

    def begin(self) -> None:
        """Start another decision; what happens before the first look is not counted."""
        for waiting in self._seats:
            waiting.since = None

    def look(self, now: float, waiting: Iterable[int]) -> Pondering | None:
        """Count up to `now` for the waiting seats, and return one that used too much over 5 s, or None."""
        found = None
        for seat in waiting:
            meter = self._meters[seat]
            if meter is not None:
                found = self._count(seat, now, meter.total_us()) or found
        return found

    def _count(self, seat: int, now: float, cpu_us: int) -> Pondering | None:
        me = self._seats[seat]
        if me.since is not None:
            me.wall_s += now - me.since
            me.burnt_us += max(cpu_us - me.cpu_us, 0)
        me.since, me.cpu_us = now, cpu_us
        if me.wall_s < WINDOW_S:
            return None
        found = Pondering(seat, me.burnt_us / me.wall_s / 1_000_000, me.wall_s)
        me.wall_s, me.burnt_us = 0.0, 0
        return found if found.share > MOST_SHARE else None
