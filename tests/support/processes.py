"""Which processes are there, found by a mark in their environment."""

from __future__ import annotations

import select
from collections.abc import Callable
from pathlib import Path


def marked_processes(mark: str) -> dict[int, str]:
    """Command lines by id of all living processes with `mark` in their environment, the calling one left out."""
    found = {}
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit() or directory.name == str(Path("/proc/self").resolve().name):
            continue
        try:
            if mark.encode() in (directory / "environ").read_bytes():
                found[int(directory.name)] = (directory / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # it ended meanwhile, or belongs to somebody else
    return found


def parent_of(pid: int) -> int:
    """The process that started it; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again; the test's own time limit ends it."""
    while not condition():
        select.select([], [], [], 0.01)
