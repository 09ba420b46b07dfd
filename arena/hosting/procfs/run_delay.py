"""Measures how long bots wait for a processor, and how long this process keeps them waiting.

A question reaches a bot through several of its threads, one after the other, and so does its answer; between them
mostly one thread works. On a busy host each of them waits for a processor. To add the waits of all threads would give
back the naps of idle helpers too, so that a bot with a dozen of them could overrun; to count the longest alone takes
from an honest bot what its messengers waited one after the other (measured: 1 of 7 decisions at half the limit lost on
a host with 8 busy programs on 2 cores). So from look to look there count

- of the threads that work, the longest wait. One that does not sleep is interrupted while it computes: it waits as long
  as others compute, however many there are (measured: 23 times its own CPU, beside 48 busy sessions on 2 cores). The
  waits of one that sleeps now and then may be those of naps: they are at most so many times its own CPU;
- of the threads that run seldom, the messengers, all waits together: a few a decision, and who wakes more often than
  that is no messenger, in later decisions either.

It is placed just before the look, and what overlaps counts once.

The arena's own process has waits too. An answer comes to the thread that polls gRPC, which with grpc.aio is another
than that of the event loop. While it is ready and has no processor, the answer of a bot can lie there, read by nobody:
measured, up to 80 ms on a host with 4 busy programs a core, in looks that saw the bot neither compute nor wait.
Likewise while what another bot sends is handled. These waits are 0 where the system does not tell them.

The event loop is also ready when a look at a bot is due. If it has no processor then, its wait does not tell whether
the bot answered before or during it. So a thread of its own waits for nothing but the bytes of the bot
(`ArrivalClock`): it becomes ready when they come, and the kernel tells how long it was ready when it runs.
"""

from __future__ import annotations

import _thread
import contextlib
import fcntl
import os
import signal
import struct
import termios
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

from arena.hosting.procfs.processes import read_threads

MESSENGER_TURNS = 16
"""How often a messenger may be scheduled in one decision; threads of gRPC in Python are 2 to 12 times."""
MOST_TURNS, MOST_DEBT = 32, -1000
FAIR_WAIT = 16
"""The longest waits that count of a thread that sleeps, as a multiple of its CPU: those of an extremely busy host."""
FULL_TURN_NS = 250_000
"""Whoever computes less each time that it gets a processor is not interrupted, but gives it away."""
ARRIVAL_PATIENCE_S = 2.0
"""How long it is waited for the thread that tells of an arrival; longer, and the arrival is unknown."""
USUAL_WORK_US = 2_000
"""What this process computes at most between two looks for a decision alone; measured: 0.3 ms."""
_F_SETOWN_EX, _F_OWNER_TID = 15, 0  # fcntl(2)
_ASKING = signal.SIGRTMIN
READY = b"R"
"""The state of a thread that runs or waits for a processor."""
SCHEDSTAT, STAT, CHILDREN, STATUS = "schedstat", "stat", "children", "status"
_SIZES = {SCHEDSTAT: 80, STAT: 1024, CHILDREN: 4096, STATUS: 16384}
"""How many bytes are read of each; children that do not fit are found by a later look."""


class ThreadWait:
    """One thread, given by its readings: time in the run queue, CPU time, and how often it was scheduled, in all."""

    __slots__ = ("_began_at", "_credit_ns", "_ran_ns", "_turns", "_turns_left", "_uncounted_ns", "_waited_ns", "grown")

    def __init__(self, waited_ns: int = 0, ran_ns: int = 0, turns: int = 0) -> None:
        self._waited_ns, self._ran_ns, self._turns = waited_ns, ran_ns, turns
        self._turns_left = MESSENGER_TURNS
        self._began_at = ran_ns, turns
        self._credit_ns = self._uncounted_ns = 0
        self.grown = (0, 0)  # what it ran and waited between the last two readings, and how often it was scheduled

    def begin(self, decisions: int) -> None:
        """Start counting anew; `decisions` have begun since the last call."""
        self._turns_left = min(self._turns_left + MESSENGER_TURNS * decisions, MOST_TURNS)
        self._began_at = self._ran_ns, self._turns
        self._credit_ns = self._uncounted_ns = 0

    def takes_full_turns(self, ran_ns: int, turns: int) -> bool:
        """Return whether it has computed much each time that it got a processor in this decision."""
        began_ran_ns, began_turns = self._began_at
        return ran_ns - began_ran_ns >= FULL_TURN_NS * (turns - began_turns)

    def count(self, waited_ns: int, ran_ns: int, turns: int, *, is_interrupted: bool = False) -> tuple[int, bool]:
        """Return how much of its waiting counts now, and whether as a messenger's.

        `is_interrupted` tells that it has only computed and waited since the last call, and had computed before.
        """
        grown_ns = max(waited_ns - self._waited_ns, 0)
        self._credit_ns += FAIR_WAIT * (ran_ns - self._ran_ns)
        self.grown = (ran_ns - self._ran_ns + grown_ns, turns - self._turns)
        is_messenger = self._turns_left > 0
        self._turns_left = max(self._turns_left - (turns - self._turns), MOST_DEBT)
        self._ran_ns, self._turns = ran_ns, turns
        self._waited_ns += grown_ns
        if is_messenger:
            return grown_ns, True
        if is_interrupted and self.takes_full_turns(ran_ns, turns):
            return grown_ns, False
        self._uncounted_ns += grown_ns  # it counts as soon as the thread has computed enough
        counted_ns = min(self._uncounted_ns, self._credit_ns)
        self._uncounted_ns -= counted_ns
        self._credit_ns -= counted_ns
        return counted_ns, False


class RunQueueWait:
    """How long a bot waited during one decision."""

    __slots__ = ("_began_ns", "_covered", "_looked_ns", "total_ns")

    def __init__(self) -> None:
        self._covered: list[tuple[int, int]] = []
        self.begin(0)

    def begin(self, now_ns: int) -> None:
        """Start a decision."""
        self._covered.clear()
        self._began_ns = self._looked_ns = now_ns
        self.total_ns = 0  # how long the bot waited up to the last look; at most the time since `begin`

    def add(self, now_ns: int, waits: Iterable[tuple[int, bool]]) -> None:
        """Add for each thread the nanoseconds that count since the last look, and whether it is a messenger."""
        span_ns, self._looked_ns = now_ns - self._looked_ns, now_ns
        of_workers = of_messengers = longest = 0
        for wait_ns, is_messenger in waits:
            longest = max(longest, wait_ns)
            if is_messenger:
                of_messengers += wait_ns
            else:
                of_workers = max(of_workers, wait_ns)
        counted_ns = max(longest, min(of_workers + of_messengers, span_ns))
        if counted_ns > 0:
            start_ns = max(now_ns - counted_ns, self._began_ns)
            # Where it overlaps earlier ones, the time counts once.
            while self._covered and self._covered[-1][1] > start_ns:
                other_start_ns, other_end_ns = self._covered.pop()
                self.total_ns -= other_end_ns - other_start_ns
                start_ns = min(start_ns, other_start_ns)
            self._covered.append((start_ns, now_ns))
            self.total_ns += now_ns - start_ns


@dataclass(slots=True)
class _Thread:
    files: TaskFiles
    before: tuple[int, int, int] | None = None  # the previous reading of `schedstat`
    since_ns: int = 0  # when it was last seen not waiting
    is_ready: bool = False  # whether it ran or waited at the last look

    def read(self, now_ns: int) -> tuple[int, int]:
        """Return the nanoseconds since the last look in waits that are over, and those of the wait that still lasts."""
        before, self.before = self.before, self.files.read_schedstat()
        self.is_ready = self.files.is_ready()
        if before is None or not self.is_ready or before != self.before:
            lasting_ns, self.since_ns = (now_ns - self.since_ns if before and self.is_ready else 0), now_ns
        else:
            lasting_ns = now_ns - self.since_ns
        return (self.before[1] - before[1] if before else 0), lasting_ns


class ArrivalClock:
    """Tells when bytes came to a socket, however late they are read. Its thread starts with it; `close` ends it.

    The kernel signals arrivals to that thread. It is ready from then on: its wait in the run queue tells when that was.
    If it also waited for Python's lock, the bytes may have come at any time since it last noted something.
    """

    def __init__(self) -> None:
        self._thread: tuple[int, int] | None = None  # its id for Python and that for the kernel, while it listens
        self._files: TaskFiles | None = None
        self._turns = -1  # how often it had been scheduled before it waited for a signal
        self._came_ns: list[tuple[int, int]] = []
        """For each arrival the earliest and the latest instant at which it can have been."""
        self._is_closed = False
        self._has_told = threading.Event()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGIO, _ASKING})  # the thread inherits it
        try:
            _thread.start_new_thread(self._run, ())  # `threading.Thread` would wait until it gets a processor
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def watch(self, descriptor: int) -> bool:
        """Note from now on when bytes come to a socket; False if the thread is not ready. Raises OSError if closed."""
        if self._thread is None:
            return False
        self._came_ns.clear()
        fcntl.fcntl(descriptor, _F_SETOWN_EX, struct.pack("ii", _F_OWNER_TID, self._thread[1]))
        fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_ASYNC)
        return True

    def first_came_ns(self, since_ns: int, until_ns: int) -> int | None:
        """Return when bytes came first between two instants of the monotonic clock.

        None if none came or that is unknown. It blocks until the thread has noted what came.
        """
        if not self._has_noted_all():
            self._has_told.clear()
            if not (self._signal() and self._has_told.wait(ARRIVAL_PATIENCE_S)):
                return None
        came_ns = (max(first, since_ns) for first, last in self._came_ns if last >= since_ns and first <= until_ns)
        return min(came_ns, default=None)

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._signal()

    def _has_noted_all(self) -> bool:
        try:
            files = self._files
            return files is not None and not files.is_ready() and files.read_schedstat()[2] == self._turns
        except OSError:
            return False

    def _signal(self) -> bool:
        thread = self._thread
        if thread is not None:
            signal.pthread_kill(thread[0], _ASKING)
        return thread is not None

    def _run(self) -> None:
        files = TaskFiles(os.getpid(), threading.get_native_id())
        now_ns = time.monotonic_ns()
        with contextlib.suppress(OSError):  # there is no /proc, and nothing can be told
            files.keep_open(SCHEDSTAT, STAT)
            self._files, self._thread = files, (threading.get_ident(), threading.get_native_id())
            while not self._is_closed:
                _, waited_ns, self._turns = files.read_schedstat()
                before_ns, is_arrival = now_ns, signal.sigwait({signal.SIGIO, _ASKING}) == signal.SIGIO
                now_ns = time.monotonic_ns()
                if is_arrival:
                    _, now_waited_ns, turns = files.read_schedstat()
                    came_ns = now_ns - (now_waited_ns - waited_ns)
                    self._came_ns.append((came_ns if turns <= self._turns + 1 else before_ns, came_ns))
                else:  # arrivals are signalled by the lower number, so they have been noted
                    self._has_told.set()
        self._thread = self._files = None
        files.close()


class OwnWaitMeter:
    """Measures the waits of this process in the run queue, its work, and when answers came.

    The first look opens the files it needs.
    """

    __slots__ = (
        "_arrivals",
        "_cpu_ns",
        "_looked_ns",
        "_main",
        "_threads",
        "_watched",
        "idle_us",
        "is_clear",
        "waited_us",
    )

    def __init__(self) -> None:
        self._arrivals: ArrivalClock | None = None
        self._watched: int | None = None
        self._main = threading.get_native_id()
        self._threads: dict[int, _Thread] = {}
        self._looked_ns = time.monotonic_ns()
        self.idle_us = 0  # how long the thread that created it neither ran nor waited between the last two looks
        self.is_clear = False  # whether nothing lay at the watched socket, and no other thread was about to handle it
        self.waited_us = 0  # how long all threads waited or worked for others between the last two looks, added up
        self._cpu_ns = time.process_time_ns()

    def begin(self) -> None:
        """Start a decision: what was computed before does not count."""
        self._cpu_ns = time.process_time_ns()
        if self._watched is not None:
            with contextlib.suppress(OSError):  # it is closed
                fcntl.fcntl(self._watched, fcntl.F_SETFL, fcntl.fcntl(self._watched, fcntl.F_GETFL) & ~os.O_ASYNC)
            self._watched = None

    def watch(self, descriptor: int) -> None:
        """Note from the first call on when bytes come to the socket of who decides, until `begin`."""
        with contextlib.suppress(OSError, RuntimeError):  # it is closed, or there is no room for another thread
            self._arrivals = self._arrivals or ArrivalClock()
            if self._watched is None and self._arrivals.watch(descriptor):
                self._watched = descriptor

    def first_came_s(self, since_s: float, until_s: float) -> float | None:
        """Return when bytes came first to that socket between two instants of the event loop.

        None if none came or that is unknown. It blocks while the thread that tells it waits for a processor.
        """
        if self._arrivals is None or self._watched is None:
            return None
        came_ns = self._arrivals.first_came_ns(round(since_s * 1_000_000_000), round(until_s * 1_000_000_000))
        return None if came_ns is None else came_ns / 1_000_000_000

    def look(self) -> tuple[int, int]:
        """Return two durations in microseconds: waits that ended since the last look, and one that still lasts.

        The first adds the waits of the thread that created this meter to those of the other thread that waited most,
        and what all computed since the last look beyond what a decision needs of them. The second is the longest wait
        of another thread, counted from the last look at which it did not wait. Waits are 0 at a thread's first look.
        """
        self._open()
        now_ns = time.monotonic_ns()
        main = self._threads.get(self._main)
        known = main.before if main is not None else None
        readings = {tid: reading for tid in list(self._threads) if (reading := self._read(tid, now_ns))}
        own_ns, _ = readings.pop(self._main, (0, 0))
        over_ns = own_ns + max((over for over, _ in readings.values()), default=0)
        over_us, lasting_us = over_ns // 1000, max((lasting for _, lasting in readings.values()), default=0) // 1000
        is_busy = any(thread.is_ready for tid, thread in self._threads.items() if tid != self._main)
        self.is_clear = not is_busy and self._watched is not None and not _unread_bytes(self._watched)
        before, self._cpu_ns = self._cpu_ns, time.process_time_ns()
        for_others_us = max((self._cpu_ns - before) // 1000 - USUAL_WORK_US, 0)
        self.idle_us, self._looked_ns = (now_ns - self._looked_ns) // 1000, now_ns
        if main is not None and main.before is not None and known is not None:
            self.idle_us -= (main.before[0] - known[0] + own_ns) // 1000
        self.waited_us = for_others_us + (own_ns + sum(over for over, _ in readings.values())) // 1000 + lasting_us
        return over_us + for_others_us, lasting_us

    def close(self) -> None:
        """Close all descriptors; the next look opens new ones."""
        for tid in list(self._threads):
            self._drop(tid)
        if self._arrivals is not None:
            self._arrivals.close()
            self._arrivals = self._watched = None

    def _open(self) -> None:
        pid = os.getpid()
        try:
            for tid in read_threads(pid):
                if tid not in self._threads:
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


def _unread_bytes(descriptor: int) -> int:
    """Return how many bytes lie at a socket; 1 if that is unknown."""
    try:
        (count,) = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0"))
    except OSError:
        return 1
    return int(count)


def state_in(stat: bytes) -> bytes:
    """Return the state in the content of a `stat` file, one letter; nothing if that is empty."""
    name_end = stat.rfind(b")")
    return stat[name_end + 2 : name_end + 3] if stat else b""


class TaskFiles:
    """Some of the files of a thread. Every reading raises OSError once the thread has ended."""

    __slots__ = ("_descriptors", "_path")

    def __init__(self, pid: int, tid: int) -> None:
        self._path = f"/proc/{pid}/task/{tid}/"
        self._descriptors: dict[str, int] = {}

    @property
    def is_open(self) -> bool:
        """Whether some of its files are kept open."""
        return bool(self._descriptors)

    def keep_open(self, *names: str) -> None:
        """Open these files and keep them open until `close`. Raises OSError, with none of them open."""
        try:
            for name in names:
                if name not in self._descriptors:
                    self._descriptors[name] = self._open(name)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close all descriptors; later readings open and close their file."""
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        self._descriptors.clear()

    def __del__(self) -> None:
        self.close()

    def read_schedstat(self) -> tuple[int, int, int]:
        """Return nanoseconds run, nanoseconds in the run queue (waits that are over), and how often it got to run."""
        ran_ns, queued_ns, turns = map(int, self.read(SCHEDSTAT).split())
        return ran_ns, queued_ns, turns

    def is_ready(self) -> bool:
        """Return whether the thread runs or waits for a processor."""
        return state_in(self.read(STAT)) == READY

    def read_sleeps(self) -> bytes:
        """Return the line of `status` that tells how often the thread has gone to sleep; nothing if there is none."""
        return self.read(STATUS).partition(b"\nvoluntary_ctxt_switches:")[2].partition(b"\n")[0]

    def read_children(self) -> list[int]:
        """Return the ids of the living processes that this thread started."""
        return [int(pid) for pid in self.read(CHILDREN).split()]

    def _open(self, name: str) -> int:
        return os.open(self._path + name, os.O_RDONLY | os.O_CLOEXEC)

    def read(self, name: str) -> bytes:
        """Return what is in one of its files now."""
        kept = self._descriptors.get(name)
        if kept is not None:
            return os.pread(kept, _SIZES[name], 0)
        descriptor = self._open(name)
        try:
            return os.pread(descriptor, _SIZES[name], 0)
        finally:
            os.close(descriptor)
