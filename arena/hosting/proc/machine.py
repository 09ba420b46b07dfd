"""How much memory processes hold, and how much there is: read from /proc and /sys, where there are such."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

MEGABYTE = 1024 * 1024
WARM_SHARE = 0.25
"""Of the machine's memory, what idle bots may hold in all."""
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def resident_bytes(root: int) -> int:
    """Resident memory of a process and its descendants, shared pages in each; 0 if it has ended or cannot be read."""
    return sum(_resident_pages(pid) for pid in _tree(root)) * os.sysconf("SC_PAGE_SIZE")


def machine_bytes() -> int:
    """The memory of this machine, or of the container that it is."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(physical, int(_CGROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or `max`
        return physical


def default_warm_mb() -> int:
    """What the idle bots of all workers may hold together unless told otherwise, in MB."""
    return int(machine_bytes() * WARM_SHARE) // MEGABYTE


def _resident_pages(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def _tree(root: int) -> Iterator[int]:
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting.extend(_children(pid))


def _children(pid: int) -> Iterator[int]:
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_bytes().split())
    except OSError:
        return
