"""What processes use, read from /proc: memory, open files, threads, children. One that has ended uses nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def memory_kb(pid: int) -> int:
    """Proportional set size in kB; 0 means this process."""
    try:
        lines = Path(f"/proc/{pid or 'self'}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def open_files(pid: int) -> int:
    """How many descriptors are open."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
    except OSError:
        return 0


def threads(pid: int) -> int:
    """How many threads it has."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208
    except OSError:
        return 0


def children(pid: int) -> list[int]:
    """The processes that its threads started."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


def command_line(pid: int) -> str:
    """With spaces between the words."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def descendants(pid: int) -> Iterator[int]:
    """Its children, theirs, and so on."""
    for child in children(pid):
        yield child
        yield from descendants(child)


def arenas_own(pid: int) -> list[int]:
    """The coordinator, its workers and their launchers: three generations, what follows is bots."""
    workers = children(pid)
    return [pid, *workers, *(launcher for worker in workers for launcher in children(worker))]
