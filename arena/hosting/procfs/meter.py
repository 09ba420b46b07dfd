"""Measures what a bot computes, and how long it waits for a processor: by its processes, or by its control group.

CPU counts whatever became of it: threads that have ended are in the clock of their process, children that were waited
for in the times of their parent, and a child that was seen before it was waited for is not counted twice. A child that
lives and ends between two looks and that nobody waits for is in no count of the kernel but that of a control group.

What the threads wait becomes the waiting of the bot in `arena.hosting.procfs.run_delay`. No event loop.
"""

from __future__ import annotations

import os
import time

from arena.hosting.cgroups.cgroup import CpuAccount
from arena.hosting.cgroups.hierarchy import GroupPlace
from arena.hosting.errors import HostingError, host_error
from arena.hosting.procfs.processes import read_file
from arena.hosting.procfs.run_delay import RunQueueWait, ThreadWait
from arena.hosting.procfs.tree import GONE, Process, Tree, TreeError
from engine.os_errors import os_error_text
from engine.translatable import Text

_STALE_NS = 250_000_000
_SLACK_NS = 200_000
"""What it uses behind an answer until it waits for the next question. Whoever starts a process uses more."""
_QUIET_NS, _QUIET_SHARE = 200_000, 0.01
"""What helper threads use of a processor that tick, between two looks: so much, or this share of the time."""
_FEW_TURNS, _NS_A_TURN = 16, 5_000_000
"""Threads that are scheduled more often together between two looks, and by one turn for each 5 ms, nap by choice."""
_ROUNDING_NS = 20_000_000  # the kernel reports the times of reaped children in ticks, user and system time separately


class TreeMeter:
    """Measures one process and all its descendants: `begin` a decision, then `look` as often as wanted."""

    def __init__(self, pid: int) -> None:
        """Read the tree of `pid` once. What cannot be read now is tried again later."""
        self._tree = Tree(pid)
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)
        self._cpu_ns = self._base_ns = self._looked_ns = 0
        self._known: dict[int, tuple[int, int]] = {}
        """For each process, its clock at the last look and the times of the children it had waited for."""
        self._owed: dict[int, int] = {}
        """CPU of ended children that was counted while they lived, by the parent whose times will contain it again."""
        self._waiting = RunQueueWait()
        self._begun = 0
        self._busy_ns = self._began_ns = 0  # what its threads ran and waited in this decision, since it began
        self._is_ready = False  # whether one of its threads was ready at the last look
        self._has_looked = True
        self._problem: HostingError | None = None  # why the last scan failed, if that is this host's fault
        self._scan()
        self._cpu_ns = 0  # what it did before belongs to no decision

    def begin(self) -> None:
        """Start a decision. After a short one, or one behind which it rested, this reads one clock per process."""
        self._base_ns = self._counted_ns()
        # The question waits for what is done here, so files are read only if something may have come to stand in them.
        if self._has_looked and self._base_ns - self._cpu_ns > _SLACK_NS:
            self._scan()
            self._base_ns = self._counted_ns()
        self._has_looked = False
        self._begun += 1
        self._busy_ns, self._began_ns = 0, time.monotonic_ns()

    def look(self) -> tuple[int, int] | None:
        """Return CPU and waiting since `begin`, in microseconds, or None if the bot is gone or there is no /proc.

        Raises HostingError if this host does not let them be read.
        """
        self._has_looked = True
        if not self._scan():
            if self._problem is not None:
                raise self._problem
            return None
        return max(self._cpu_ns - self._base_ns, 0) // 1000, self._waiting.total_ns // 1000

    @property
    def asleep_us(self) -> int:
        """How long it certainly neither ran nor waited since `begin`, up to the last look, by its own choice."""
        return (self._looked_ns - self._began_ns - self._busy_ns) // 1000

    def has_run(self) -> bool:
        """Return whether the bot has computed since `begin`. Cheap."""
        return self._counted_ns() > self._base_ns

    def total_us(self) -> int:
        """Return the CPU since this meter was created. Cheap: it looks for new processes only every 250 ms."""
        if time.monotonic_ns() - self._looked_ns > _STALE_NS:
            self._scan()
        return self._counted_ns() // 1000

    def lowered_to(self) -> int:
        """Return the nice value to which it lowered the weight of a session of its own; 0 if it has not."""
        most = max(map(autogroup_nice, self._tree.processes), default=0)
        return most if most > autogroup_nice(os.getpid()) else 0

    @property
    def begun_us(self) -> int:
        """The CPU since this meter was created at which the last decision began."""
        return self._base_ns // 1000

    def idle_us(self) -> int:
        """Return the CPU since this meter was created, of a bot that should not compute.

        One whose known processes stood still has started no other, so nothing but their clocks is read then; otherwise
        new ones are looked for every 250 ms.
        """
        if self._counted_ns() == self._cpu_ns or time.monotonic_ns() - self._looked_ns <= _STALE_NS:
            return self._counted_ns() // 1000
        return self.settled_us()

    def settled_us(self) -> int:
        """Return the CPU since this meter was created, new processes included; no more files stay open than were."""
        is_open = self._tree.is_open
        self._scan()
        if not is_open:
            self._tree.close()
        return self._counted_ns() // 1000

    def close(self) -> None:
        """Close all descriptors. The meter can be used again: the next look opens what it needs."""
        self._tree.close()

    def _counted_ns(self) -> int:
        """Return the CPU up to now according to the clocks of the known processes."""
        total_ns = self._cpu_ns
        for pid, (known_ns, _) in self._known.items():
            process = self._tree.processes.get(pid)
            if process is not None:
                try:
                    total_ns += process.ran_ns() - known_ns
                except OSError:
                    continue  # it has just ended; the next look finds it gone
        return total_ns

    def _scan(self) -> bool:
        before_ns, now_ns, before_cpu_ns = self._looked_ns, time.monotonic_ns(), self._cpu_ns
        try:
            ended = self._tree.refresh()
            self._tree.read(before_ns, self._nice)
        except TreeError as error:
            self._problem = _problem_of(error)
            return False
        self._looked_ns = now_ns
        for process in ended:
            clock_ns, reaped_ns = self._known.pop(process.pid, (0, 0))
            parent = process.parent
            self._owed[parent] = self._owed.get(parent, 0) + clock_ns + reaped_ns
        for process in self._tree.processes.values():
            known_ns, known_reaped_ns = self._known.get(process.pid, (0, 0))
            clock_ns = _clock_of(process) or known_ns
            reaped_ns = max(process.reaped_ns, known_reaped_ns)
            self._cpu_ns += clock_ns - known_ns + self._settle(process.pid, reaped_ns - known_reaped_ns)
            self._known[process.pid] = clock_ns, reaped_ns
        self._owed = {pid: min(owed, _ROUNDING_NS) for pid, owed in self._owed.items() if owed}
        is_first = not before_ns
        was_ready, self._is_ready = self._is_ready, any(task.is_ready for task in self._tree.tasks())
        quiet_ns = max(_QUIET_NS, _QUIET_SHARE * (now_ns - before_ns))
        # Between two looks at a bot that sleeps, only helper threads that tick have waited, which it does not need.
        has_slept = not (self._begun or was_ready or self._is_ready) and self._cpu_ns - before_cpu_ns < quiet_ns
        few_turns = _FEW_TURNS + (now_ns - max(before_ns, self._began_ns)) // _NS_A_TURN
        told_ns = counted_ns = all_turns = 0
        waits = []
        for task in self._tree.tasks():
            if task.stands_still and not task.waits_since_ns and not self._begun and task.waiter is not None:
                continue  # it neither ran nor waited
            reading = task.waited_ns(now_ns), max(task.ran_ns, 0), task.turns
            if task.waiter is None:
                task.waiter = ThreadWait(*reading) if is_first else ThreadWait()
            elif self._begun:
                task.waiter.begin(self._begun)
            wait = task.waiter.count(*reading, is_interrupted=task.is_interrupted)
            if not (task.is_low or has_slept):
                waits.append(wait)
                grown_ns, turns = task.waiter.grown
                told_ns, counted_ns, all_turns = told_ns + grown_ns, counted_ns + wait[0], all_turns + turns
        self._busy_ns += max(told_ns if all_turns <= few_turns else counted_ns, self._cpu_ns - before_cpu_ns)
        self._busy_ns = min(self._busy_ns, now_ns - self._began_ns)
        if self._begun:  # most decisions are over before the first look, and none of this matters then
            self._begun = 0
            self._waiting.begin(self._began_ns)
        self._waiting.add(now_ns, waits)
        return True

    def _settle(self, pid: int, reaped_ns: int) -> int:
        """Return the part of `reaped_ns`, the growth of its children's times, that was not counted while they lived."""
        counted_ns = min(self._owed.get(pid, 0), reaped_ns)
        if counted_ns:
            self._owed[pid] -= counted_ns
        return reaped_ns - counted_ns


def _problem_of(error: TreeError) -> HostingError | None:
    """Return the fault of this host, such as too few descriptors; none if the bot is gone, or has too many threads."""
    cause = error.__cause__
    if not isinstance(cause, OSError) or cause.errno is None or cause.errno in GONE:
        return None
    return host_error(cause.errno)(Text("what a bot computes cannot be read: {why}", why=os_error_text(cause)))


def _clock_of(process: Process) -> int | None:
    try:
        return process.ran_ns()
    except OSError:
        return None  # it has just ended; the next look finds it gone


def autogroup_nice(pid: int) -> int:
    """Return the nice value of the group of a process's session; 0 if there is none, or the process has ended."""
    try:
        words = read_file(f"/proc/{pid}/autogroup").split()  # /autogroup-4711 nice 5
        return int(words[-1]) if words else 0
    except (OSError, ValueError):
        return 0


class GroupMeter:
    """Like `TreeMeter`, and counts what no process tells: children that nobody waits for.

    The larger of both counts: the clocks of the processes are exact at any moment, the account of a group may lack
    what has run since the last tick.
    """

    __slots__ = ("_account", "_base_us", "_first_us", "_tree")

    def __init__(self, pid: int, place: GroupPlace) -> None:
        """Read the tree of `pid` once, and open the account of its group. Raises OSError if it has none."""
        self._tree = TreeMeter(pid)
        self._account = CpuAccount(place)
        self._first_us = self._base_us = self._account.used_us()

    def begin(self) -> None:
        """Start a decision: one more reading than `TreeMeter.begin`, through an open descriptor."""
        self._tree.begin()
        self._base_us = self._account.used_us()

    def look(self) -> tuple[int, int] | None:
        """Return the same as `TreeMeter.look`, and raise the same."""
        seen = self._tree.look()
        if seen is None:
            return None
        return max(seen[0], self._account.used_us() - self._base_us), seen[1]

    def has_run(self) -> bool:
        """Return whether the bot has computed since `begin`. Cheap."""
        return self._account.used_us() > self._base_us or self._tree.has_run()

    @property
    def asleep_us(self) -> int:
        """How long it certainly neither ran nor waited since `begin`, up to the last look, by its own choice."""
        return self._tree.asleep_us

    def total_us(self) -> int:
        """Return the CPU since this meter was created, by one reading."""
        return self._account.used_us() - self._first_us

    def lowered_to(self) -> int:
        """Return the nice value to which it lowered the weight of a session of its own; 0 if it has not."""
        return self._tree.lowered_to()

    @property
    def begun_us(self) -> int:
        """The CPU since this meter was created at which the last decision began."""
        return self._base_us - self._first_us

    def idle_us(self) -> int:
        """Return the CPU since this meter was created, of a bot that should not compute: by one reading too."""
        return self.total_us()

    def settled_us(self) -> int:
        """Return the CPU since this meter was created, new processes included, which the group's account always is."""
        return self.total_us()

    def close(self) -> None:
        """Close the descriptors of the tree, which the next look opens again; the group's one stays."""
        self._tree.close()

    def __del__(self) -> None:
        if hasattr(self, "_account"):
            self._account.close()
