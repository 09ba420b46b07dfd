"""The time that a bot has to start and to join, charged as that of a decision: by what it used itself.

What it waited for a processor is the host's, and so is what this process was late.
"""

from __future__ import annotations

import asyncio

from arena.hosting.errors import HostingError
from arena.hosting.launcher.client import HostedProcess
from arena.hosting.procfs.own_wait import OwnWaitMeter
from arena.match.time_control import Figures
from arena.worker.meters import make_meter
from engine.text import Text

LOOK_EVERY_S = 0.1
PATIENCE_FACTOR = 2
"""After so many times its limit by the wall, a start that got no processor is given up, to be tried again alone."""
BOUND_FACTOR, BOUND_S = 10, 10.0
"""How long the start of a bot may last that starts alone: after this the host cannot play it."""


class StarvedError(HostingError):
    """A bot could not start in its time because it got no processor; `figures` tell how it spent that."""

    def __init__(self, figures: Figures) -> None:
        waited_s = (figures.queue_wait_us + figures.referee_lag_us) / 1_000_000
        super().__init__(
            Text(
                "worker.bot_waited_s_processor_while",
                "a bot waited {seconds} s for a processor while it started",
                seconds=f"{waited_s:.1f}",
            )
        )
        self.figures = figures


class StartClock:
    """Measures one start, from its creation on; `close` ends the measuring."""

    def __init__(self, process: HostedProcess, limit_s: float, cores: int = 1, *, is_alone: bool = True) -> None:
        """Give a start `limit_s` by its charge; a bot that starts beside others is given up sooner by the wall."""
        self._loop = asyncio.get_running_loop()
        self._limit_us = round(limit_s * 1_000_000)
        bound_s = BOUND_FACTOR * limit_s + BOUND_S if is_alone else PATIENCE_FACTOR * limit_s
        self._bound_us = round(bound_s * 1_000_000)
        self._cores = cores
        self._meter = make_meter(process)
        self._meter.begin()
        self._own = OwnWaitMeter()
        self._own.look()
        self._begun = self._loop.time()
        self._due = self._begun
        self._lag_us = 0
        self._looks = 0

    def wait_s(self) -> float:
        """Return how long to wait until the next look is due."""
        now = self._loop.time()
        left_s = self._begun + self._limit_us / 1_000_000 - now
        self._due = now + (min(LOOK_EVERY_S, left_s) if left_s > 0 else LOOK_EVERY_S)
        return self._due - now

    def is_over(self) -> bool:
        """Look at the start, and return whether it has used up its time. Raises StarvedError."""
        now = self._loop.time()
        wall_us = round((now - self._begun) * 1_000_000)
        figures = self._read(now, wall_us)
        if figures.charge_us(self._cores) >= self._limit_us:
            return True
        if wall_us >= self._bound_us:
            raise StarvedError(figures)
        return False

    def close(self) -> None:
        """Close the files that were read."""
        self._meter.close()
        self._own.close()

    def _read(self, now: float, wall_us: int) -> Figures:
        self._lag_us += max(round((now - self._due) * 1_000_000), self._own.look()[0], 0)
        self._looks += 1
        reading = self._meter.look()
        if reading is None:
            return Figures(wall_us, is_readable=False)
        return Figures(wall_us, *reading, min(self._lag_us, wall_us), self._looks)
