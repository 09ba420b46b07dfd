"""What processes use: memory, open files, threads, children. One that has ended uses nothing."""

from __future__ import annotations

import os

from arena.hosting.procfs.processes import list_children, list_descendants, list_threads
from arena.hosting.procfs.usage import count_descriptors, proportional_bytes


def memory_kb(pid: int) -> int:
    """Proportional set size in kB; 0 means this process."""
    return proportional_bytes(pid or os.getpid()) // 1024


def open_files(pid: int) -> int:
    """How many descriptors are open."""
    return count_descriptors(pid)


def threads(pid: int) -> int:
    """How many threads it has."""
    return len(list_threads(pid))


def descendants(pid: int) -> list[int]:
    """Its children, theirs, and so on."""
    return list_descendants(pid)[1:]


def arenas_own(pid: int) -> list[int]:
    """The coordinator, its workers and their launchers: three generations, what follows is bots."""
    workers = list_children(pid)
    return [pid, *workers, *(launcher for worker in workers for launcher in list_children(worker))]
