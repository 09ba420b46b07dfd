"""Samples what a process computes: at every few milliseconds of its processor time it looks at the stacks.

The kernel's timer SIGPROF runs on processor time, so a process that waits is not sampled, and one that is not profiled
pays nothing. A sample gives each thread what that has computed since the last one, by the thread's own clock; threads
without a Python stack, such as gRPC's, get what is left of the clock of the process. So all parts add up to what the
process used, and only the border between the parts is an estimate.

A signal is handled by the main thread, between two of its steps: so the main thread, in which a worker plays and a
coordinator records, is seen where it computes. Another thread is seen where it last let the main one go on.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from arena.profiling.parts import ModuleParts, ProfilePart, StackClassifier
from arena.profiling.shared_counters import Sheet

EVERY_S = 0.002
"""How much processor time lies between two samples; the kernel rounds it up to its tick, which is 1 to 10 ms."""


class Sampler:
    """Writes onto a sheet what this process computes."""

    def __init__(
        self, sheet: Sheet, parts: ModuleParts, beside: ProfilePart, on_sample: Callable[[], None] = lambda: None
    ) -> None:
        """Judge stacks by `parts`; `beside` is the part of threads that no part explains.

        Call `on_sample` after each sample.
        """
        self._sheet = sheet
        self._main = StackClassifier(parts, ProfilePart.OTHER)
        self._others = StackClassifier(parts, beside)
        self._beside = beside
        self._on_sample = on_sample
        self._main_id = threading.main_thread().ident
        self._process_ns = 0
        self._threads_ns: dict[int, int] = {}
        self._ahead_ns = 0
        """What threads have on the sheet already, of what they computed after the clock of the process was read."""
        self._is_taking = False

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """Sample in the block, which the main thread is to enter and to leave."""
        before = signal.signal(signal.SIGPROF, self._take_alone)
        self._process_ns, self._threads_ns = time.process_time_ns(), self._clocks(sys._current_frames())
        self._ahead_ns = 0
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            # By default the signal ends a process, and one may still be on its way to another thread.
            signal.signal(signal.SIGPROF, _pass_over if before is signal.SIG_DFL else before)
            self._take(sys._getframe())

    def _take_alone(self, _number: int, frame: FrameType | None) -> None:
        """Handle the signal; what comes while a sample is taken is left to the next one, or it would count twice."""
        if self._is_taking:
            return
        self._is_taking = True
        try:
            self._take(frame)
        finally:
            self._is_taking = False

    def _take(self, frame: FrameType | None) -> None:
        """Give every thread's part what the thread has computed since the last sample."""
        # Another thread may go on between the clocks. Read in this order it is found in its own first, and that much of
        # the next time counts no more; the other way round the time would be taken for that of threads without a stack.
        process_ns, frames = time.process_time_ns(), sys._current_frames()
        now = self._clocks(frames)
        left = process_ns - self._process_ns - self._ahead_ns
        for thread, clock_ns in now.items():
            used = max(clock_ns - self._threads_ns.get(thread, 0), 0)
            left -= used
            is_main = thread == self._main_id
            judge = self._main if is_main else self._others
            self._sheet.add_cpu(judge.part_of(frame if is_main else frames[thread]), used)
        self._sheet.add_cpu(self._beside, max(left, 0))
        self._sheet.count_sample()
        self._process_ns, self._threads_ns, self._ahead_ns = process_ns, now, max(-left, 0)
        self._on_sample()

    @staticmethod
    def _clocks(frames: dict[int, FrameType]) -> dict[int, int]:
        """Return the processor time of the threads with a stack: none of them ends while we hold the interpreter."""
        found = {}
        for thread in frames:
            with suppress(OSError):
                found[thread] = time.clock_gettime_ns(time.pthread_getcpuclockid(thread))
        return found


def _pass_over(_number: int, _frame: FrameType | None) -> None:
    """Handle a sample that comes too late."""
