"""Freezes and thaws a whole group, through one descriptor that stays open: about 100 us each."""

from __future__ import annotations

import os
import time

from arena.hosting.cgroups.place import GroupPlace

_PATIENCE_S, _REST_S = 0.25, 0.0005
"""How long it may take until all of a group stands still: each of its threads gets a processor once more for that, but
computes nothing with it."""


class Freezer:
    """The freezer of one group. Every user of a group may have one of its own."""

    __slots__ = ("_file", "_place", "_version")

    def __init__(self, place: GroupPlace) -> None:
        """Open the file. Raises OSError."""
        self._version, self._place = place.cgroup_version, place
        self._file = os.open(place.path(place.cgroup_version.freezer), os.O_RDWR | os.O_CLOEXEC)

    def freeze(self) -> None:
        """Let no process of the group run, those included that are just being made. Raises OSError if it is gone."""
        os.pwrite(self._file, self._version.frozen, 0)

    def thaw(self) -> None:
        """Let the group run again. Raises OSError if it is gone."""
        os.pwrite(self._file, self._version.thawed, 0)

    def is_frozen(self) -> bool:
        """Return whether all of the group stands still. Raises OSError if it is gone."""
        if self._version.version == 1:
            return os.pread(self._file, 16, 0).strip() == self._version.frozen
        return "frozen 1" in self._place.read(("freezer", "cgroup.events"))

    def freeze_surely(self, patience_s: float = _PATIENCE_S) -> bool:
        """Freeze, and return whether all of the group stands still within `patience_s` seconds. Raises OSError."""
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            self.freeze()
            if self.is_frozen():
                return True
            time.sleep(_REST_S)
        return False

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._file)
