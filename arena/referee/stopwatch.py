"""Measures one decision: its wall time, and, once it has lasted 20 ms, the figures from which it is charged.

It only measures; the conductor judges. Faster decisions, which are most, cost one cheap reading at their start.
"""

from __future__ import annotations

import asyncio

from arena.match.timing import Figures
from arena.referee.lag import OwnQueue
from arena.referee.metering import Meter

LOOK_EVERY_S = 0.02
SLOW_SEND_S = 0.001


class Stopwatch:
    """Started when it is made, which is just before the `Decide` is handed to the transport."""

    __slots__ = (
        "_deadline",
        "_handed_at",
        "_has_lag",
        "_looks",
        "_loop",
        "_meter",
        "_own",
        "asked_at",
        "next_at",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, meter: Meter | None, own: OwnQueue, patience_s: float) -> None:
        """`patience_s` is the time after which a decision without answer is looked at in any case."""
        self._loop = loop
        self._meter = meter
        self._own = own
        self._looks = 0
        self._has_lag = False
        if meter is not None:
            meter.begin()
        self.asked_at = self._handed_at = loop.time()
        self._deadline = self.asked_at + patience_s
        self.next_at = self._deadline
        """When the next look is due."""
        if meter is not None:
            self.next_at = min(self.asked_at + LOOK_EVERY_S, self._deadline)
            loop.call_soon(self._mark_handed)  # runs as soon as the transport has the message

    def look(self) -> Figures:
        """The figures up to now; call it when a look is due."""
        now = self._loop.time()
        late_us = _microseconds(max(now - self.next_at, 0))  # so late may an answer lie unread behind this look
        self.next_at = now + LOOK_EVERY_S
        if now < self._deadline:
            self.next_at = min(self.next_at, self._deadline) if self._meter is not None else self._deadline
        if self._meter is not None:
            # What it waited while the bot thought has cost the bot nothing; behind a wait that lasts may be an answer.
            late_us = max(late_us, self._own.look()[1])
            self._has_lag = True
        return self._read(now, late_us)

    def stop(self, at: float) -> Figures:
        """The figures of a decision that was answered at `at`."""
        if at - self.asked_at < LOOK_EVERY_S and at <= self._deadline:
            return Figures(_microseconds(at - self.asked_at))
        return self._read(at, self._arrival_lag_us(at))

    def _arrival_lag_us(self, at: float) -> int:
        """By how much the referee can have been late to read an answer that it read at `at`."""
        overdue_us = _microseconds(max(at - self.next_at, 0))
        return max(overdue_us, self._own.look()[0]) if self._has_lag else overdue_us

    def _read(self, at: float, arrival_lag_us: int) -> Figures:
        wall_us = _microseconds(max(at - self.asked_at, 0))
        reading = self._meter.look() if self._meter is not None else None
        if reading is None:
            return Figures(wall_us, is_readable=False)
        self._looks += 1
        lag_us = _microseconds(self._handed_at - self.asked_at) + arrival_lag_us
        return Figures(wall_us, *reading, min(lag_us, wall_us), self._looks)

    def _mark_handed(self) -> None:
        """Whatever came before was the referee's time, unless the bot has had the message meanwhile."""
        now = self._loop.time()
        if now - self.asked_at > SLOW_SEND_S and self._meter is not None and not self._meter.has_run():
            self._handed_at = now


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)
