"""Measures one decision: its wall time and, once it has lasted 20 ms, the figures that determine its charge.

It only measures; `play` judges. Faster decisions, which are most, cost one cheap reading at their start.
"""

from __future__ import annotations

import asyncio

from arena.match.time_control import Figures
from arena.referee.meter import LagMeter, Meter

LOOK_EVERY_S = 0.02
SLOW_SEND_S = 0.001
IDLE_US = 1000
"""A bot that computed less than this between two looks may have answered before."""
MOST_CARRIED_US = 300_000
"""The most lateness that idle looks add up to: an answer lies unread for a few looks at most, not for a long sleep."""


class Stopwatch:
    """Measures one decision. It starts when it is created, just before the `Decide` is handed to the transport."""

    __slots__ = (
        "_cpu_us",
        "_deadline",
        "_handed_at",
        "_lag_meter",
        "_late_us",
        "_looked_at",
        "_looks",
        "_loop",
        "_meter",
        "asked_at",
        "next_at",
    )

    def __init__(
        self, loop: asyncio.AbstractEventLoop, patience_s: float, meter: Meter | None, lag_meter: LagMeter | None = None
    ) -> None:
        """Start the measurement. After `patience_s` a look is due even if there is no meter."""
        self._loop = loop
        self._meter = meter
        self._lag_meter = lag_meter
        self._looks = 0
        self._cpu_us = self._late_us = 0
        if meter is not None:
            meter.begin()
        if lag_meter is not None:
            lag_meter.begin()
        self.asked_at = self._handed_at = self._looked_at = loop.time()
        self._deadline = self.asked_at + patience_s
        self.next_at = self._deadline
        """When the next look is due."""
        if meter is not None:
            self.next_at = min(self.asked_at + LOOK_EVERY_S, self._deadline)

    def mark_handed(self) -> None:
        """Note that the transport has the message: the time up to now is the referee's, unless the bot has read it."""
        now = self._loop.time()
        if now - self.asked_at > SLOW_SEND_S and self._meter is not None and not self._meter.has_run():
            self._handed_at = now

    def look(self) -> Figures:
        """Return the figures up to now; call it when a look is due."""
        now = self._loop.time()
        figures = self._read(now)
        self.next_at = now + LOOK_EVERY_S
        if now < self._deadline:
            self.next_at = min(self.next_at, self._deadline) if self._meter is not None else self._deadline
        return figures

    def elapsed_us(self) -> int:
        """Return the wall time since the start."""
        return _microseconds(self._loop.time() - self.asked_at)

    def stop(self, at: float) -> Figures:
        """Return the figures of a decision that was answered at `at`."""
        if at - self.asked_at < LOOK_EVERY_S and at <= self._deadline:
            return Figures(_microseconds(at - self.asked_at))
        return self._read(at)

    def _read(self, at: float) -> Figures:
        wall_us = _microseconds(max(at - self.asked_at, 0))
        reading = self._meter.look() if self._meter is not None else None
        if reading is None:
            return Figures(wall_us, is_readable=False)
        self._looks += 1
        lag_us = _microseconds(self._handed_at - self.asked_at) + self._reading_lag_us(at, reading[0])
        return Figures(wall_us, *reading, min(lag_us, wall_us), self._looks)

    def _reading_lag_us(self, at: float, cpu_us: int) -> int:
        """Return by how much the referee may be late in reading an answer: at this look, and at looks before it.

        A bot that has computed since had not answered yet, so earlier lateness has cost it nothing.
        """
        own_us = self._lag_meter.look() if self._lag_meter is not None else ()
        late_us = max(_microseconds(at - self.next_at), *own_us, 0)
        late_us = min(late_us, _microseconds(max(at - self._looked_at, 0)))
        is_idle = cpu_us - self._cpu_us < IDLE_US
        self._late_us = late_us + (min(self._late_us, MOST_CARRIED_US) if is_idle else 0)
        self._looked_at, self._cpu_us = at, cpu_us
        return self._late_us


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)
