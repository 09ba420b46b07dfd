"""Gives each slot of a machine cores of its own, whoever started it: a core is taken by locking its file."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from arena.hosting.user_directories import find_base


class Cores:
    """Cores that are held until this process ends."""

    def __init__(self) -> None:
        self._held: list[int] = []
        self.numbers: tuple[int, ...] = ()

    def take(self, count: int) -> tuple[int, ...]:
        """Take so many cores that nobody holds, and return their numbers; none at all if there are fewer."""
        if not hasattr(os, "sched_getaffinity"):
            return ()
        directory = find_base() / f"kingmaker-cores-{os.geteuid()}"
        found: list[int] = []
        with suppress(OSError):
            directory.mkdir(mode=0o700, exist_ok=True)
            for core in sorted(os.sched_getaffinity(0)):
                if len(found) < count and self._lock(directory / str(core)):
                    found.append(core)
        if len(found) < count:
            self.give_back()
            return ()
        self.numbers = tuple(found)
        return self.numbers

    def give_back(self) -> None:
        """Let others have them."""
        for descriptor in self._held:
            os.close(descriptor)
        self._held.clear()
        self.numbers = ()

    def _lock(self, path: Path) -> bool:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._held.append(descriptor)
        return True
