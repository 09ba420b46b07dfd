"""A clock that skips what is only waited for, and an event loop by it: hours of waiting pass in the time of the work.

Time goes on by as long as this process works or waits for a database, and jumps to the next event when nothing is left
to do. What another program does with the cores meanwhile does not count, nor what is done in the place of others.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class VirtualClock:
    """Seconds of work and of skipped waiting; it never goes back."""

    def __init__(self) -> None:
        self._delays: list[int] = []
        self._skipped_s = 0.0
        self._elsewhere_s = 0.0
        self._last_s = 0.0
        self.follow("thread-self")
        self._began_s = self._worked()

    def follow(self, process: int | str) -> None:
        """Take away also the time for which another process, on which this one waits, waits for a core."""
        if Path(f"/proc/{process}/schedstat").exists():
            self._delays.append(os.open(f"/proc/{process}/schedstat", os.O_RDONLY))

    def close(self) -> None:
        for each in self._delays:
            os.close(each)
        self._delays.clear()

    @property
    def skipped_s(self) -> float:
        """For how long nothing was to do."""
        return self._skipped_s

    def time(self) -> float:
        """Return the seconds since the clock was made."""
        now_s = self._worked() - self._began_s - self._elsewhere_s + self._skipped_s
        self._last_s = max(self._last_s, now_s)
        return self._last_s

    def skip(self, seconds: float) -> None:
        """Let time pass in which nothing is to do."""
        self._skipped_s += seconds

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Do in no time what another machine would do."""
        began_s = self._worked()
        try:
            yield
        finally:
            self._elsewhere_s += max(0.0, self._worked() - began_s)

    def work(self, seconds: float) -> None:
        """Keep this process's core busy for so long."""
        until_s = time.process_time() + seconds
        while time.process_time() < until_s:
            pass

    def _worked(self) -> float:
        delayed_ns = sum(_delay_ns(each) for each in self._delays)
        return time.perf_counter() - delayed_ns / 1e9


def _delay_ns(descriptor: int) -> int:
    """For how long a process was ready to run and did not, as the kernel counts it."""
    try:
        return int(os.pread(descriptor, 100, 0).split()[1])
    except (OSError, IndexError):
        return 0


class _Selector(selectors.DefaultSelector):
    """Looks for what is there, and where nothing is, has time pass instead of waiting."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(None if timeout is None else 0)
        if not found and timeout is not None and timeout > 0:
            self._clock.skip(timeout)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop by a virtual clock. What comes from outside is seen, but not waited for while timers run."""

    def __init__(self, clock: VirtualClock) -> None:
        self._virtual = clock
        super().__init__(_Selector(clock))

    def time(self) -> float:
        return self._virtual.time()
