"""Reads what processes use: memory, descriptors, the private /tmp of a sandbox. It is 0 for those that have ended."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from arena.hosting.proc.processes import list_descendants, read_file

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PRIVATE_PLACES = ("tmp", "dev/shm")


def resident_bytes(pid: int) -> int:
    """Return the resident memory of one process, shared pages included."""
    try:
        return int(read_file(f"/proc/{pid}/statm").split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0


def tree_resident_bytes(root: int) -> int:
    """Return the resident memory of a process and its descendants; pages that they share count in each."""
    return sum(map(resident_bytes, list_descendants(root)))


def proportional_bytes(pid: int) -> int:
    """Return the memory of a process, counting a page that n share as 1/n; its resident memory where that is hidden."""
    try:
        for line in read_file(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resident_bytes(pid)


def count_descriptors(pid: int) -> int:
    """Return how many files and connections a process has open."""
    directory = f"/proc/{pid}/fd"
    try:
        return os.stat(directory).st_size or len(os.listdir(directory))  # noqa: PTH116, PTH208 - since Linux 6.2 the size
    except OSError:
        return 0


def measure_private_places(pids: Sequence[int]) -> tuple[int, int]:
    """Return bytes and files in /tmp and /dev/shm of the sandbox around these processes; 0 if there is none.

    They are memory that belongs to no process. The last processes are tried first, since they are deepest inside.
    """
    for pid in reversed(pids):
        with contextlib.suppress(OSError):
            if _root_of(pid) != _OUR_ROOT:
                return _measure_places(pid)
    return 0, 0


def _measure_places(pid: int) -> tuple[int, int]:
    used = files = 0
    for place in _PRIVATE_PLACES:
        facts = os.statvfs(f"/proc/{pid}/root/{place}")
        used += (facts.f_blocks - facts.f_bfree) * facts.f_frsize
        files += facts.f_files - facts.f_ffree
    return used, files


def _root_of(pid: int) -> tuple[int, int]:
    return _identity(f"/proc/{pid}/root")


def _identity(directory: str) -> tuple[int, int]:
    facts = os.stat(directory)  # noqa: PTH116 - pathlib would double the start-up of the launcher
    return facts.st_dev, facts.st_ino


_OUR_ROOT = _identity("/")
