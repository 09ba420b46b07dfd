"""Reads what a group has used, as the kernel tells it, and whether it came to a limit."""

from __future__ import annotations

import os
from typing import Any

from arena.hosting.cgroups.limits import GroupLimits
from arena.hosting.cgroups.place import GroupPlace
from arena.hosting.cgroups.version import PIDS_EVENTS, PIDS_PEAK, parse_flat

_SIZE = 1024
_NEARLY_BYTES = 4 << 20
"""How far below its limit a group may be when the kernel finds no room in it for what is asked for at once."""


class CpuAccount:
    """The processor time of a group since it was made: of all that ran in it, whoever waited for it or not.

    What runs at this moment on another processor may be missing for up to one tick of the kernel's clock.
    """

    __slots__ = ("_file", "_is_first_version", "_used_us")

    def __init__(self, place: GroupPlace) -> None:
        """Open the file. Raises OSError."""
        self._is_first_version = place.version == 1
        self._file = os.open(place.path(place.cgroup_version.cpu), os.O_RDONLY | os.O_CLOEXEC)
        self._used_us = 0

    def used_us(self) -> int:
        """Return the microseconds used; once the group is gone, those at the last reading."""
        try:
            text = os.pread(self._file, _SIZE, 0)
        except OSError:
            return self._used_us
        # In version 1 nanoseconds alone; in version 2 `usage_usec` is the first line of several.
        self._used_us = int(text) // 1000 if self._is_first_version else int(text.split(None, 2)[1])
        return self._used_us

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._file)


def find_excess(place: GroupPlace, limits: GroupLimits) -> dict[str, Any] | None:
    """Return the limit that a group came to (`what`, `used`, `limit`), or None. Raises OSError if it is gone.

    Memory counts when the kernel killed for it and the group itself was at its limit: what it killed for the machine's
    sake is not the group's doing.
    """
    events = parse_flat(place.read(place.cgroup_version.memory_events))
    used = _read_number(place, place.cgroup_version.memory_peak, limits.memory_bytes) if events.get("oom_kill") else 0
    # Version 2 counts how often the group was at its limit; of version 1 not every kernel does.
    if events.get("oom", used > limits.memory_bytes - _NEARLY_BYTES) and used:
        return {"what": "memory", "used": max(used, limits.memory_bytes), "limit": limits.memory_bytes}
    refused = parse_flat(place.read(PIDS_EVENTS)).get("max", 0)
    if refused and _read_number(place, PIDS_PEAK, limits.processes) >= limits.processes:
        return {"what": "processes", "used": limits.processes + 1, "limit": limits.processes}
    return None


def _read_number(place: GroupPlace, where: tuple[str, str], otherwise: int) -> int:
    """Return the number in a file that older kernels do not have."""
    try:
        return int(place.read(where))
    except FileNotFoundError:
        return otherwise
