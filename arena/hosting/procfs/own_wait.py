"""Measures how long this process keeps bots waiting: by waiting for a processor itself, and by computing for others.

An answer comes to the thread that polls gRPC, which with grpc.aio is another than that of the event loop. While it is
ready and has no processor, the answer of a bot can lie there, read by nobody: measured, up to 80 ms on a host with 4
busy programs a core, in looks that saw the bot neither compute nor wait. Likewise while what another bot sends is
handled. Waits are 0 where the system does not tell them.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from arena.hosting.procfs.processes import read_threads
from arena.hosting.procfs.tasks import SCHEDSTAT, STAT, TaskFiles

USUAL_WORK_US = 2_000
"""What this process computes at most between two looks for a decision alone; measured: 0.3 ms."""


@dataclass(slots=True)
class _Thread:
    files: TaskFiles
    before: tuple[int, int, int] | None = None
    """The previous reading of `schedstat`."""
    since_ns: int = 0
    """When it was last seen not waiting."""

    def read(self, now_ns: int) -> tuple[int, int]:
        """Return the nanoseconds since the last look in waits that are over, and those of the wait that still lasts."""
        before, self.before = self.before, self.files.read_schedstat()
        is_ready = self.files.is_ready()
        if before is None or not is_ready or before != self.before:
            lasting_ns, self.since_ns = (now_ns - self.since_ns if before and is_ready else 0), now_ns
        else:
            lasting_ns = now_ns - self.since_ns
        return (self.before[1] - before[1] if before else 0), lasting_ns


class OwnWaitMeter:
    """Measures the waits of this process in the run queue, and its work. The first look opens the files it needs."""

    __slots__ = ("_cpu_ns", "_main", "_threads")

    def __init__(self) -> None:
        self._main = threading.get_native_id()
        self._threads: dict[int, _Thread] = {}
        self._cpu_ns = time.process_time_ns()

    def begin(self) -> None:
        """Start a decision: what was computed before does not count."""
        self._cpu_ns = time.process_time_ns()

    def look(self) -> tuple[int, int]:
        """Return two durations in microseconds: waits that ended since the last look, and one that still lasts.

        The first adds the waits of the thread that created this meter to those of the other thread that waited most,
        and what all computed since the last look beyond what a decision needs of them. The second is the longest wait
        of another thread, counted from the last look at which it did not wait. Waits are 0 at the first look.
        """
        over_us, lasting_us = self._look_at_waits()
        return over_us + self._work_for_others_us(), lasting_us

    def _work_for_others_us(self) -> int:
        before, self._cpu_ns = self._cpu_ns, time.process_time_ns()
        return max((self._cpu_ns - before) // 1000 - USUAL_WORK_US, 0)

    def _look_at_waits(self) -> tuple[int, int]:
        if not self._threads:
            self._open()
        now_ns = time.monotonic_ns()
        readings = {tid: reading for tid in list(self._threads) if (reading := self._read(tid, now_ns))}
        own_ns, _ = readings.pop(self._main, (0, 0))
        over_ns = own_ns + max((over for over, _ in readings.values()), default=0)
        return over_ns // 1000, max((lasting for _, lasting in readings.values()), default=0) // 1000

    def close(self) -> None:
        """Close all descriptors; the next look opens new ones."""
        for tid in list(self._threads):
            self._drop(tid)

    def _open(self) -> None:
        pid = os.getpid()
        try:
            for tid in read_threads(pid):
                files = TaskFiles(pid, tid)
                files.keep_open(SCHEDSTAT, STAT)
                self._threads[tid] = _Thread(files)
        except OSError:
            return  # no /proc, or a thread that has just ended: what was opened is enough

    def _read(self, tid: int, now_ns: int) -> tuple[int, int] | None:
        try:
            return self._threads[tid].read(now_ns)
        except (OSError, ValueError, IndexError):
            self._drop(tid)  # the thread has ended
            return None

    def _drop(self, tid: int) -> None:
        self._threads.pop(tid).files.close()
