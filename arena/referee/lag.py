"""How long the referee's own threads wait for a processor. Where the system does not tell: not at all.

An answer comes to a thread of gRPC, which wakes the thread of the event loop, so the waits of the two add up.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

_TASKS = Path("/proc/self/task")


class OwnQueue:
    """Waits of this process in the run queue, since the last look. Descriptors are opened by the first look."""

    __slots__ = ("_fds", "_looked", "_main")

    def __init__(self) -> None:
        self._main = threading.get_native_id()
        self._fds: dict[int, int] = {}
        self._looked: dict[int, int] = {}

    def look(self) -> int:
        """Microseconds since the last look (0 for the first): of this thread, and of that other which waited most."""
        if not self._fds:
            self._open()
        waits = {tid: wait for tid in self._fds if (wait := self._read(tid)) is not None}
        grown = {tid: wait - self._looked.get(tid, wait) for tid, wait in waits.items()}
        self._looked = waits
        return (grown.pop(self._main, 0) + max(grown.values(), default=0)) // 1000

    def close(self) -> None:
        """Give the descriptors back; the next look opens new ones."""
        for fd in self._fds.values():
            os.close(fd)
        self._fds.clear()
        self._looked.clear()

    def _open(self) -> None:
        try:
            for task in _TASKS.iterdir():
                self._fds[int(task.name)] = os.open(task / "schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # no /proc, or a thread that has just ended: what was opened is enough

    def _read(self, tid: int) -> int | None:
        try:
            return int(os.pread(self._fds[tid], 80, 0).split()[1])
        except (OSError, IndexError):
            return None  # the thread has ended
