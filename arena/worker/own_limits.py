"""What a process of ours that serves bots may itself hold and compute, whoever makes it: at its limit it ends itself.

It holds against what nobody has thought of. Whoever started the process finds out whose doing it was
(`arena.worker.proxied_listener`).
"""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.hosting.errors import exit_over_limit
from arena.hosting.procfs.machine import MEGABYTE
from arena.referee.queue.loop import polled_s

MESSAGE_S = 0.001
"""What gRPC may compute for a message; measured: 0.1 ms."""
FREE_SHARE = 0.05
"""How much of one core it may compute besides for ever."""
HEADROOM_MB = 2048
"""How far beyond its limit the kernel lets it reserve memory: stacks of threads count there, used or not."""


@dataclass(frozen=True, slots=True)
class OwnLimits:
    """The limits of one process."""

    memory_mb: int = 768
    """How much memory it may hold that belongs to it alone; measured: 26 MB with three bots."""
    cpu_s: float = 8.0
    """How much it may compute that nothing explains, beyond what is allowed to go on for ever."""

    def set_hard_stop(self) -> None:
        """Have the kernel refuse memory far beyond the limit, to this process and to those it starts from now on."""
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = (self.memory_mb + HEADROOM_MB) * MEGABYTE
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


class OwnWatch:
    """Compares what this process does with its limits, and ends it when it has reached one."""

    def __init__(
        self, limits: OwnLimits, bots: Callable[[], str] = str, end: Callable[[str], object] = exit_over_limit
    ) -> None:
        """`bots` tells who was there, for the last words."""
        self._limits = limits
        self._bots = bots
        self._end = end
        self._beside = _Beside()
        self.unexplained_s = 0.0
        """What was computed for nobody, as far as it counts."""

    def look(self, messages: int) -> float:
        """Fall if a limit is reached; `messages` were read since the last look. To be called by the event loop.

        Return which part of a core was used beside it since then that no message explains.
        """
        self.check_memory(_private_bytes())
        beside_s, passed_s = self._beside.since_last()
        unexplained_s = beside_s - messages * MESSAGE_S
        self.count_cpu(unexplained_s, passed_s)
        return unexplained_s / max(passed_s, 1e-6)

    def check_memory(self, held: int) -> None:
        """Fall if so many bytes are too much."""
        if held > self._limits.memory_mb * MEGABYTE:
            self._exit(f"it held {held // MEGABYTE} MB of memory, {self._limits.memory_mb} MB are allowed")

    def count_cpu(self, unexplained_s: float, passed_s: float) -> None:
        """Add what was computed for nobody in that time, as far as it is more than may go on for ever."""
        self.unexplained_s = max(self.unexplained_s + unexplained_s - FREE_SHARE * passed_s, 0.0)
        if self.unexplained_s > self._limits.cpu_s:
            self._exit(f"it computed for {self.unexplained_s:.1f} s for nobody, {self._limits.cpu_s:g} s are allowed")

    def forgive(self) -> None:
        """Forget what it computed: who made it do so was found."""
        self.unexplained_s = 0.0

    def _exit(self, why: str) -> None:
        bots = self._bots()
        self._end(f"{why}{'; with it were ' + bots if bots else ''}")


class _Beside:
    """What this process computes beside playing: gRPC, in its threads or polled by the loop, and who else runs."""

    def __init__(self) -> None:
        self._last = self._now()

    def since_last(self) -> tuple[float, float]:
        """Return how many seconds were computed, and have passed, since the last call."""
        before, self._last = self._last, self._now()
        return self._last[0] - before[0], self._last[1] - before[1]

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.process_time() - time.thread_time() + polled_s(), time.monotonic()


def _private_bytes() -> int:
    """Return how much memory is this process's alone; 0 where there is no /proc."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - ten times a second
            _, resident, shared, *_ = map(int, file.read().split())
    except OSError:
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
