"""The processes and threads of a bot as /proc shows them: found, kept open, read. Linux only.

Nothing is summed here; `meter` does. A file that was opened is read again through its descriptor, which
is ten times cheaper than opening it, and which never shows another task that got the same number.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator

from arena.hosting.proc.waiting import Waiter

MOST_TASKS = 256
"""A larger tree is not measured: looking at it would cost more than it tells."""
KEPT_TASKS = 32
"""How many tasks of a tree have their files kept open (three each)."""

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_GONE = (errno.ENOENT, errno.ESRCH)
_FILES = ("schedstat", "stat", "children")
_SIZES = (80, 1024, 4096)  # enough for each; children that do not fit are found by the next look
# Places in `stat` after the name; proc_pid_stat(5) counts from 1, and the name is the second.
_STATE, _PARENT, _CHILDREN_USER, _CHILDREN_SYSTEM, _NICE, _POLICY = (number - 3 for number in (3, 4, 16, 17, 19, 41))
_LOW_POLICIES = (b"3", b"5")  # SCHED_BATCH, SCHED_IDLE


class TreeError(OSError):
    """The tree cannot be read: it is gone, too large, or /proc refuses."""


class Task:
    """A thread. The numbers are those of the last reading, in nanoseconds."""

    __slots__ = (
        "_fds",
        "_path",
        "is_low",
        "queued_ns",
        "ran_ns",
        "stat",
        "switches",
        "waiter",
        "waits_since_ns",
    )

    def __init__(self, pid: int, tid: int) -> None:
        self._path = f"/proc/{pid}/task/{tid}/"
        self._fds: list[int] = []
        self.waiter: Waiter | None = None
        """What counts of its waiting; whoever measures sets it."""
        self.ran_ns = -1
        self.queued_ns = 0
        """In the run queue, all its life; a wait that is not over is not in it."""
        self.switches = 0
        self.waits_since_ns = 0
        """Since when it is known to be waiting for a processor; 0 = it is not."""
        self.stat: list[bytes] = []
        self.is_low = False
        """Whether it asked for less than a fair share, so that its waiting is its own wish."""

    def open(self) -> None:
        """Keep the files open. Raises OSError."""
        if not self._fds:
            for name in _FILES:
                self._fds.append(os.open(self._path + name, os.O_RDONLY | os.O_CLOEXEC))

    def close(self) -> None:
        """Give the descriptors back; the numbers stay."""
        for fd in self._fds:
            os.close(fd)
        self._fds.clear()

    def __del__(self) -> None:
        self.close()

    def _read(self, file: int) -> bytes:
        if len(self._fds) == len(_FILES):
            return os.pread(self._fds[file], _SIZES[file], 0)
        fd = os.open(self._path + _FILES[file], os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(fd, _SIZES[file], 0)
        finally:
            os.close(fd)

    def children(self) -> list[int]:
        """Ids of the processes that this thread started and that live."""
        return [int(pid) for pid in self._read(2).split()]

    def read(self, before_ns: int, own_nice: int) -> None:
        """Take a reading; the one before was at `before_ns`. Raises OSError when the task is gone."""
        ran_ns, queued_ns, switches = map(int, self._read(0).split())
        stat = self._read(1)
        fields = stat[stat.rindex(b")") + 2 :].split()
        was_ready = bool(self.stat) and self.stat[_STATE] == b"R"
        stands_still = (ran_ns, queued_ns, switches) == (self.ran_ns, self.queued_ns, self.switches)
        # The kernel counts a wait when it ends. A thread that is ready, was ready, and did not run meanwhile, waits.
        if not (stands_still and was_ready and fields[_STATE] == b"R"):
            self.waits_since_ns = 0
        elif not self.waits_since_ns:
            self.waits_since_ns = before_ns
        self.ran_ns, self.queued_ns, self.switches, self.stat = ran_ns, queued_ns, switches, fields
        self.is_low = int(fields[_NICE]) > own_nice or fields[_POLICY] in _LOW_POLICIES

    def waited_ns(self, now_ns: int) -> int:
        """In the run queue, all its life, the wait that lasts included."""
        return self.queued_ns + (now_ns - self.waits_since_ns if self.waits_since_ns else 0)


class Process:
    """A process of the tree, with its threads by id."""

    __slots__ = ("_clock", "pid", "tasks")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.tasks: dict[int, Task] = {}
        self._clock = ~pid << 3 | 2  # clock_getcpuclockid(3): the CPU clock of a process, ended threads included

    def ran_ns(self) -> int:
        """CPU of all its threads, ended ones too. Raises OSError when it is gone."""
        return time.clock_gettime_ns(self._clock)

    @property
    def parent(self) -> int:
        """The id of its parent at the last reading."""
        leader = self.tasks.get(self.pid)
        return int(leader.stat[_PARENT]) if leader and leader.stat else 0

    @property
    def reaped_ns(self) -> int:
        """CPU of the children that it has waited for, in whole ticks, at the last reading."""
        leader = self.tasks.get(self.pid)
        if not leader or not leader.stat:
            return 0
        return (int(leader.stat[_CHILDREN_USER]) + int(leader.stat[_CHILDREN_SYSTEM])) * _TICK_NS

    def refresh(self) -> list[int]:
        """Find the threads; the ids of the children. Raises OSError when the process is gone."""
        tids = {int(name) for name in os.listdir(f"/proc/{self.pid}/task")}  # noqa: PTH208 - a Path costs as much again
        for tid in self.tasks.keys() - tids:
            self.tasks.pop(tid).close()
        children: list[int] = []
        for tid in tids:
            task = self.tasks.get(tid) or self.tasks.setdefault(tid, Task(self.pid, tid))
            try:
                children += task.children()
            except OSError as error:
                if error.errno not in _GONE:
                    raise
                self.tasks.pop(tid).close()
        return children


class Tree:
    """All processes below a root, by id. One that was found stays, also when its parent ends before it."""

    __slots__ = ("_root", "processes")

    def __init__(self, root: int) -> None:
        self._root = root
        self.processes: dict[int, Process] = {root: Process(root)}

    def refresh(self) -> list[Process]:
        """Find what is new, drop what has ended: those processes are returned. Raises TreeError."""
        ended = []
        waiting = list(self.processes)
        count = 0
        while waiting:
            process = self.processes[waiting.pop()]
            try:
                children = process.refresh()
            except OSError as error:
                if error.errno not in _GONE or process.pid == self._root:
                    raise TreeError(f"process {process.pid} cannot be read: {error}") from error
                ended.append(self.processes.pop(process.pid))
                continue
            count += len(process.tasks)
            if count > MOST_TASKS:
                raise TreeError(f"the tree of process {self._root} has more than {MOST_TASKS} threads")
            waiting += [pid for pid in children if pid not in self.processes]
            self.processes |= {pid: Process(pid) for pid in children if pid not in self.processes}
        self._keep_open()
        return ended

    def _keep_open(self) -> None:
        for task, _ in zip(self.tasks(), range(KEPT_TASKS), strict=False):
            with contextlib.suppress(OSError):  # it has ended: its reading will say so
                task.open()

    def tasks(self) -> Iterator[Task]:
        """All threads."""
        return (task for process in self.processes.values() for task in process.tasks.values())

    def read(self, before_ns: int, own_nice: int) -> None:
        """Take a reading of every thread; those that have ended are left out."""
        for process in self.processes.values():
            for tid, task in list(process.tasks.items()):
                try:
                    task.read(before_ns, own_nice)
                except OSError:
                    task.close()
                    del process.tasks[tid]

    def close(self) -> None:
        """Give all descriptors back; the next look opens them anew."""
        for task in self.tasks():
            task.close()
