"""Reads what processes use: memory, descriptors, the private /tmp of a sandbox. It is 0 for those that have ended."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from arena.hosting.procfs.processes import list_descendants, read_file, read_relations, shared_places
from arena.hosting.procfs.same_memory import share_memory

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PRIVATE_PLACES = ("tmp", "dev/shm")


def resident_bytes(pid: int) -> int:
    """Return the resident memory of one process, shared pages included."""
    for place in shared_places(pid):
        with contextlib.suppress(OSError, IndexError, ValueError):
            if pages := int(read_file(f"{place}/statm").split()[1]):
                return pages * _PAGE_BYTES
    return 0


def tree_resident_bytes(root: int) -> int:
    """Return the resident memory of a process and its descendants; pages that they share count in each."""
    return sum(map(resident_bytes, list_descendants(root)))


def proportional_bytes(pid: int) -> int:
    """Return the memory of a process, counting a page that n share as 1/n; its resident memory where that is hidden."""
    for place in shared_places(pid):
        with contextlib.suppress(OSError):
            for line in read_file(f"{place}/smaps_rollup").splitlines():
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    return resident_bytes(pid)


def exact_bytes(pids: Sequence[int]) -> int:
    """Return the memory of processes, each page counted once.

    A process that starts another one lends it its memory until that has become another program: both show all of it.
    """
    return sum(proportional_bytes(pid) for pid in pids if not _borrows_memory(pid, pids))


def _borrows_memory(pid: int, others: Sequence[int]) -> bool:
    relations = read_relations(pid)
    return relations is not None and relations.parent in others and share_memory(pid, relations.parent)


def count_descriptors(pid: int) -> int:
    """Return how many files and connections a process has open."""
    return next(filter(None, map(_count_entries, (f"{place}/fd" for place in shared_places(pid)))), 0)


def _count_entries(directory: str) -> int:
    try:
        return os.stat(directory).st_size or len(os.listdir(directory))  # noqa: PTH116, PTH208 - since Linux 6.2 the size
    except OSError:
        return 0


def measure_private_places(pids: Sequence[int]) -> tuple[int, int]:
    """Return bytes and files in /tmp and /dev/shm of the sandbox around these processes; 0 if there is none.

    They are memory that belongs to no process. The last processes are tried first, since they are deepest inside.
    """
    for pid in reversed(pids):
        for place in shared_places(pid):
            with contextlib.suppress(OSError):
                if _identity(f"{place}/root") != _OUR_ROOT:
                    return _measure_places(f"{place}/root")
                break
    return 0, 0


def _measure_places(root: str) -> tuple[int, int]:
    used = files = 0
    for place in _PRIVATE_PLACES:
        facts = os.statvfs(f"{root}/{place}")
        used += (facts.f_blocks - facts.f_bfree) * facts.f_frsize
        files += facts.f_files - facts.f_ffree
    return used, files


def _identity(directory: str) -> tuple[int, int]:
    facts = os.stat(directory)  # noqa: PTH116 - pathlib would double the start-up of the launcher
    return facts.st_dev, facts.st_ino


_OUR_ROOT = _identity("/")
