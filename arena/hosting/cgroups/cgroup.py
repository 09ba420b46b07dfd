"""One bot's group: made before its first instruction runs, and removed after its last. The launcher's side.

Its directory is locked by whoever made it, as long as that lives: groups of dead arenas are known by that.
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from contextlib import suppress
from typing import Any

from arena.hosting.cgroups.accounts import find_excess
from arena.hosting.cgroups.errors import GroupError
from arena.hosting.cgroups.freezer import Freezer
from arena.hosting.cgroups.limits import GroupLimits
from arena.hosting.cgroups.place import GroupPlace
from arena.hosting.cgroups.version import PROCS, CgroupSetting
from engine.text import Text

_KILLS, _REST_S = 40, 0.005
"""How often a group is killed before it is given up, and how long the dead get to leave it in between."""


class Cgroup:
    """A group that this process made and holds."""

    def __init__(self, place: GroupPlace, limits: GroupLimits) -> None:
        """Make it and set its limits. Raises OSError, with nothing left behind."""
        self.place, self.limits = place, limits
        self._lock: int | None = None
        self._freezer: Freezer | None = None
        self._entrances: list[int] = []
        try:
            self._make()
        except OSError:
            self.remove()
            raise

    def _make(self) -> None:
        for directory in self.place.distinct:
            os.mkdir(directory)  # noqa: PTH102 - pathlib would double the start-up of the launcher
        self._lock = take_lock(self.place)
        if self._lock is None:
            raise GroupError(
                Text("hosting.taken_somebody_else", "{path} was taken by somebody else", path=self.place.distinct[0])
            )
        for setting in self.place.cgroup_version.settings:
            self._set(setting)
        self._freezer = Freezer(self.place)
        self._entrances = [_open_entrance(directory) for directory in self.place.distinct]

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
        """Return the limit that it came to, as `accounts.find_excess` does; None once it is gone."""
        with suppress(OSError):
            return find_excess(self.place, self.limits)
        return None

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
            _write(place.path(place.cgroup_version.kill), b"1")
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


def _open_entrance(directory: str) -> int:
    return os.open(f"{directory}/{PROCS}", os.O_WRONLY | os.O_CLOEXEC)


def _write(path: str, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, data)
    finally:
        os.close(file)
