"""Finds and reads the processes and threads of a bot in /proc. Linux only.

Nothing is summed here; `meter` does that.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator

from arena.hosting.procfs.processes import (
    CHILDREN_SYSTEM,
    CHILDREN_USER,
    NICE,
    PARENT,
    POLICY,
    parse_stat,
    read_threads,
)
from arena.hosting.procfs.run_delay import CHILDREN, READY, SCHEDSTAT, STAT, TaskFiles, ThreadWait, state_in

MOST_TASKS = 256
"""A larger tree is not measured: reading it would cost too much."""
KEPT_TASKS = 32
"""How many tasks of a tree have their files, three each, kept open."""

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
GONE = (errno.ENOENT, errno.ESRCH)
"""What is said of a process or thread that has ended."""
_LOW_POLICIES = (b"3", b"5")  # SCHED_BATCH, SCHED_IDLE


class TreeError(OSError):
    """The tree cannot be read: it is gone, too large, or /proc refuses."""


class Task:
    """A thread of a bot, with the figures of the last reading."""

    __slots__ = (
        "_before",
        "_is_woken",
        "_schedstat",
        "_sleeps",
        "_stat",
        "files",
        "is_interrupted",
        "is_low",
        "queued_ns",
        "ran_ns",
        "stands_still",
        "turns",
        "waiter",
        "waits_since_ns",
    )

    def __init__(self, pid: int, tid: int) -> None:
        self.files = TaskFiles(pid, tid)
        self.waiter: ThreadWait | None = None  # decides what counts of its waiting; the meter sets it
        self.ran_ns = -1
        self.queued_ns = 0  # time in the run queue during its whole life, without a wait that still lasts
        self.turns = 0  # how often it was scheduled
        self.waits_since_ns = 0  # since when it has been waiting for a processor, as far as is known; 0 if it is not
        self.stands_still = False  # whether it has not run between the last two readings
        self.is_interrupted = False
        """Whether it has not slept between the last two readings, nor since it ran before, so that it computes."""
        self.is_low = False
        """Whether it asked for less than a fair share of a processor, so that its waiting is its own choice."""
        self._schedstat = self._stat = self._sleeps = b""
        self._is_woken = True  # whether it may not have run since it slept
        self._before: tuple[int, int, int] | None = None
        """Of a thread that is interrupted, the reading before: when it was, and what it had waited and run by then."""

    def keep_open(self) -> None:
        """Keep the files open. Raises OSError."""
        self.files.keep_open(SCHEDSTAT, STAT, CHILDREN)

    def read(self, before_ns: int, own_nice: int) -> None:
        """Take a reading; the previous one was at `before_ns`. Raises OSError if the thread has ended."""
        sleeps_before, was_ready, was_woken = self._sleeps, state_in(self._stat) == READY, self._is_woken
        schedstat = self.files.read(SCHEDSTAT)
        if schedstat != self._schedstat:
            self._sleeps = self._read_sleeps(schedstat)
            if self._sleeps:  # it is read first: a sleep that comes meanwhile is then found by the next reading
                schedstat = self.files.read(SCHEDSTAT)
        stat = self.files.read(STAT)
        state = state_in(stat)
        before = before_ns, self.waited_ns(before_ns), self.ran_ns
        # Most threads of a bot sleep all the time: of them nothing is taken apart.
        self.stands_still = schedstat == self._schedstat
        if not self.stands_still:
            self.ran_ns, self.queued_ns, self.turns = map(int, schedstat.split())
        # The kernel counts a wait when it ends. A thread that is ready, was ready, and did not run meanwhile, waits.
        if not (self.stands_still and state == READY and was_ready):
            self.waits_since_ns = 0
        elif not self.waits_since_ns:
            self.waits_since_ns = before_ns
        has_slept = not self.stands_still and not (self._sleeps and self._sleeps == sleeps_before)
        self._is_woken = state != READY or has_slept or (self.stands_still and was_woken)
        self.is_interrupted = was_ready and not was_woken and not self._is_woken
        self._before = before if self.is_interrupted else None
        if not self.stands_still or state == READY:  # others wait for nothing, whatever their share
            fields = parse_stat(stat)
            self.is_low = int(fields[NICE]) > own_nice or fields[POLICY] in _LOW_POLICIES
        self._schedstat, self._stat = schedstat, stat

    def _read_sleeps(self, schedstat: bytes) -> bytes:
        """Return how often it has slept; nothing for one that only passes messages on, or naps."""
        ran_ns, _, turns = map(int, schedstat.split())
        return self.files.read_sleeps() if self.waiter and self.waiter.takes_full_turns(ran_ns, turns) else b""

    @property
    def is_ready(self) -> bool:
        """Whether it ran or waited for a processor at the last reading."""
        return state_in(self._stat) == READY

    def fields(self) -> list[bytes]:
        """Return the fields of `stat` at the last reading, as `parse_stat` does; none before the first."""
        return parse_stat(self._stat) if self._stat else []

    def waited_ns(self, now_ns: int) -> int:
        """Return its time in the run queue during its whole life, including a wait that still lasts."""
        told_ns = self.queued_ns + (now_ns - self.waits_since_ns if self.waits_since_ns else 0)
        if self._before is None:
            return told_ns
        # It waited whenever it did not run. The kernel tells of a wait when it ends, perhaps more than was since the
        # reading before.
        before_ns, waited_ns, ran_ns = self._before
        return max(told_ns, waited_ns + (now_ns - before_ns) - (self.ran_ns - ran_ns))


class Process:
    """A process of the tree, with its threads by id."""

    __slots__ = ("_clock", "pid", "tasks")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.tasks: dict[int, Task] = {}
        self._clock = ~pid << 3 | 2  # clock_getcpuclockid(3): the CPU clock of a process, ended threads included

    def ran_ns(self) -> int:
        """Return the CPU of all its threads, ended ones included. Raises OSError if it has ended."""
        return time.clock_gettime_ns(self._clock)

    @property
    def parent(self) -> int:
        """The id of its parent at the last reading; 0 before the first."""
        fields = self._read_leader()
        return int(fields[PARENT]) if fields else 0

    @property
    def reaped_ns(self) -> int:
        """The CPU of the children that it has waited for, in whole ticks, at the last reading."""
        fields = self._read_leader()
        return (int(fields[CHILDREN_USER]) + int(fields[CHILDREN_SYSTEM])) * _TICK_NS if fields else 0

    def _read_leader(self) -> list[bytes]:
        """Return the fields of the first thread, which are those of the process; none if it was not read."""
        leader = self.tasks.get(self.pid)
        return leader.fields() if leader else []

    def refresh(self) -> list[int]:
        """Find the threads, and return the ids of the children. Raises OSError if the process has ended."""
        tids = set(read_threads(self.pid))
        for tid in self.tasks.keys() - tids:
            self.drop(tid)
        children: list[int] = []
        for tid in tids:
            task = self.tasks.get(tid) or self.tasks.setdefault(tid, Task(self.pid, tid))
            try:
                children += task.files.read_children()
            except OSError as error:
                if error.errno not in GONE:
                    raise
                self.drop(tid)
        return children

    def drop(self, tid: int) -> None:
        """Forget a thread that has ended."""
        self.tasks.pop(tid).files.close()


class Tree:
    """A process and its descendants. One that was found stays in the tree even if its parent ends before it."""

    __slots__ = ("_root", "processes")

    def __init__(self, root: int) -> None:
        self._root = root
        self.processes: dict[int, Process] = {root: Process(root)}

    def refresh(self) -> list[Process]:
        """Find new processes and threads, drop those that have ended, and return the dropped processes.

        Raises TreeError.
        """
        ended = []
        waiting = list(self.processes)
        count = 0
        while waiting:
            process = self.processes[waiting.pop()]
            try:
                children = process.refresh()
            except OSError as error:
                if error.errno not in GONE or process.pid == self._root:
                    raise TreeError(f"process {process.pid} cannot be read: {error}") from error
                ended.append(self.processes.pop(process.pid))
                continue
            count += len(process.tasks)
            if count > MOST_TASKS:
                raise TreeError(f"the tree of process {self._root} has more than {MOST_TASKS} threads")
            new = [pid for pid in children if pid not in self.processes]
            waiting += new
            self.processes |= {pid: Process(pid) for pid in new}
        for task, _ in zip(self.tasks(), range(KEPT_TASKS), strict=False):
            if not task.files.is_open:
                with contextlib.suppress(OSError):  # it has ended: its reading will say so
                    task.keep_open()
        return ended

    def tasks(self) -> Iterator[Task]:
        """Return all threads."""
        return (task for process in self.processes.values() for task in process.tasks.values())

    def read(self, before_ns: int, own_nice: int) -> None:
        """Take a reading of every thread, and drop those that have ended. Raises TreeError."""
        for process in self.processes.values():
            for tid, task in list(process.tasks.items()):
                try:
                    task.read(before_ns, own_nice)
                except OSError as error:
                    if error.errno not in GONE:
                        raise TreeError(f"thread {tid} cannot be read: {error}") from error
                    process.drop(tid)

    @property
    def is_open(self) -> bool:
        """Whether files of its threads are kept open."""
        return any(task.files.is_open for task in self.tasks())

    def close(self) -> None:
        """Close all descriptors; the next look opens them again."""
        for task in self.tasks():
            task.files.close()
