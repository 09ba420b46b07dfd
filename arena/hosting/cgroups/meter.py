"""Measures a bot that has a group: its CPU is the group's, its waiting that of its threads. No event loop."""

from __future__ import annotations

from arena.hosting.cgroups.cgroup import CpuAccount
from arena.hosting.cgroups.hierarchy import GroupPlace
from arena.hosting.procfs.meter import TreeMeter


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
        """Return CPU and waiting since `begin`, in microseconds, or None if they cannot be read."""
        seen = self._tree.look()
        if seen is None:
            return None
        return max(seen[0], self._account.used_us() - self._base_us), seen[1]

    def has_run(self) -> bool:
        """Return whether the bot has computed since `begin`. Cheap."""
        return self._account.used_us() > self._base_us or self._tree.has_run()

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
