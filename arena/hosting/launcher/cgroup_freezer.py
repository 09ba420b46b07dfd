"""Freezes a bot by the freezer of its control group: one write, which misses nobody. For the launcher."""

from __future__ import annotations

from contextlib import suppress

from arena.hosting.cgroups.cgroup import Cgroup


class CgroupFreezer:
    """For a bot at level `strict`. A bot whose group is gone has ended; then nothing happens.

    A thread that waits for a processor at that moment gets it once more, to stop itself: it computes nothing with it.
    """

    is_whole = True

    def __init__(self, group: Cgroup) -> None:
        self._group = group

    def freeze(self) -> None:
        """Freeze the group."""
        with suppress(OSError):
            self._group.freeze()

    def thaw(self) -> None:
        """Thaw the group."""
        with suppress(OSError):
            self._group.thaw()
