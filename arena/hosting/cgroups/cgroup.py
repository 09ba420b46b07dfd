"""One bot's group: made before its first instruction runs, frozen, thawed, measured, and removed after its last.

The launcher makes it. Its directory is locked by whoever made it, as long as that lives: groups of dead arenas are
known by that. Freezer and accounts keep their files open: freezing takes about 100 us.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from contextlib import suppress
from typing import Any

from arena.hosting.cgroups.hierarchy import (
    PIDS_EVENTS,
    PIDS_PEAK,
    PROCS,
    CgroupSetting,
    GroupError,
    GroupLimits,
    GroupPlace,
    parse_flat,
)
from engine.translatable import Text

_KILLS, _REST_S = 40, 0.005
"""How often a group is killed before it is given up, and how long the dead get to leave it in between."""
_SIZE = 1024
_NEARLY_BYTES = 4 << 20
"""How far below its limit a group may be when the kernel finds no room in it for what is asked for at once."""
_PATIENCE_S, _FREEZE_REST_S = 0.25, 0.0005
"""How long it may take until all of a group stands still: each of its threads gets a processor once more for that, but
computes nothing with it."""


class Cgroup:
    """A group that this process made and holds."""

    def __init__(self, place: GroupPlace, limits: GroupLimits) -> None:
        """Make it and set its limits. Raises OSError, with nothing left behind."""
        self.place, self.limits = place, limits
        self._lock: int | None = None
        self._freezer: Freezer | None = None
        self._entrances: list[int] = []
        try:
            for directory in self.place.distinct:
                os.mkdir(directory)  # noqa: PTH102 - pathlib would double the start-up of the launcher
            self._lock = take_lock(self.place)
            if self._lock is None:
                why = Text("{path} was taken by somebody else", path=self.place.distinct[0])
                raise GroupError(why)
            for setting in self.place.cgroup_version.settings:
                self._set(setting)
            self._freezer = Freezer(self.place)
            self._entrances = [
                os.open(f"{directory}/{PROCS}", os.O_WRONLY | os.O_CLOEXEC) for directory in self.place.distinct
            ]
        except OSError:
            self.remove()
            raise

    def _set(self, setting: CgroupSetting) -> None:
        text = setting.text.format(memory_bytes=self.limits.memory_bytes, processes=self.limits.processes)
        try:
            file = os.open(self.place.path((setting.role, setting.file)), os.O_WRONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            if setting.is_needed:
                raise
            return
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def enter(self) -> None:
        """Move this process, which has one thread, into the group for good. Raises OSError."""
        for entrance in self._entrances:
            os.write(entrance, b"0")

    def close_entrances(self) -> None:
        """Close what only `enter` needs, once somebody has entered."""
        while self._entrances:
            os.close(self._entrances.pop())

    def freeze(self) -> None:
        """Let nothing in the group run, as a whole. Raises OSError."""
        assert self._freezer is not None
        self._freezer.freeze()

    def thaw(self) -> None:
        """Let the group run again. Raises OSError."""
        assert self._freezer is not None
        self._freezer.thaw()

    def is_frozen(self) -> bool:
        """Return whether all of it stands still. Raises OSError."""
        assert self._freezer is not None
        return self._freezer.is_frozen()

    def kill(self) -> None:
        """Kill everybody in it, who is frozen included."""
        kill_all(self.place, self._freezer)

    def is_empty(self) -> bool:
        """Return whether nobody is left in it."""
        return not list_members(self.place)

    def find_excess(self) -> dict[str, Any] | None:
        """Return the limit that it came to, as `find_excess` does; None once it is gone."""
        with suppress(OSError):
            return find_excess(self.place, self.limits)
        return None

    def count_oom_kills(self) -> int:
        """Return how many of its processes the kernel has killed for want of memory; 0 if that is unknown."""
        with suppress(OSError):
            return parse_flat(self.place.read(self.place.cgroup_version.memory_events)).get("oom_kill", 0)
        return 0

    def remove(self) -> None:
        """Remove it with everybody in it, and let go of it. Somebody who cannot be killed keeps it."""
        self.close_entrances()
        remove_group(self.place, self._freezer)
        if self._freezer is not None:
            self._freezer.close()
        if self._lock is not None:
            os.close(self._lock)
        self._freezer = self._lock = None


def take_lock(place: GroupPlace) -> int | None:
    """Lock a group until the returned descriptor is closed; None if it is gone, or somebody who lives holds it."""
    directory = place.distinct[0]
    try:
        lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), os.stat(directory)):  # noqa: PTH116 - as above
            return lock
    except OSError:
        pass
    os.close(lock)
    return None


def list_members(place: GroupPlace) -> list[int]:
    """Return the processes of a group; none if it is gone."""
    members: set[int] = set()
    for directory in place.distinct:
        with suppress(OSError), open(f"{directory}/{PROCS}", "rb") as file:  # noqa: PTH123 - as above
            members |= set(map(int, file.read().split()))
    return sorted(members - {0})


def kill_all(place: GroupPlace, freezer: Freezer | None) -> None:
    """Kill everybody in a group. Where the kernel has no way for all at once, they stand still meanwhile."""
    if place.cgroup_version.kill is not None:
        with suppress(OSError):
            file = os.open(place.path(place.cgroup_version.kill), os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.write(file, b"1")
            finally:
                os.close(file)
            return
    with suppress(OSError):
        if freezer is not None:
            freezer.freeze_surely()
    for pid in list_members(place):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with suppress(OSError):
        if freezer is not None:
            freezer.thaw()  # in version 1 the dead do not leave before


def remove_group(place: GroupPlace, freezer: Freezer | None) -> bool:
    """Kill everybody in a group and remove it; return whether it is gone."""
    for _ in range(_KILLS):
        if all(map(_rmdir, reversed(place.distinct))):
            return True
        kill_all(place, freezer)
        time.sleep(_REST_S)
    return False


def _rmdir(directory: str) -> bool:
    try:
        os.rmdir(directory)  # noqa: PTH106 - as above
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


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
            time.sleep(_FREEZE_REST_S)
        return False

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._file)


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
