"""Reads which processes there are, how they are related, and their environment, and names this one.

The launcher imports this at its start, so it loads nothing slow: no pathlib, no other module of ours. A process may
end at any moment; every function says what it returns then.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from dataclasses import dataclass

# Positions in what `parse_stat` returns. proc_pid_stat(5) counts from 1; the pid and the name are left out.
STATE, PARENT, GROUP, SESSION, FLAGS, CHILDREN_USER, CHILDREN_SYSTEM, NICE, THREADS, POLICY = (
    number - 3 for number in (3, 4, 5, 6, 9, 16, 17, 19, 20, 41)
)
ARGUMENTS_START, ARGUMENTS_END = 48 - 3, 49 - 3
_PF_EXITING = 0x4


@dataclass(frozen=True, slots=True)
class Relations:
    """How a process is related to others."""

    parent: int
    group: int
    session: int
    is_zombie: bool
    """Whether all its threads have ended; a process goes on when only its first one has."""


def has_proc() -> bool:
    """Return whether processes can be looked at here: macOS has no /proc, and a container may hide it."""
    return os.path.exists("/proc/self/stat")  # noqa: PTH110 - pathlib would double the start-up of the launcher


def parse_stat(data: bytes) -> list[bytes]:
    """Return the fields of a `stat` file after the name, which may hold spaces and brackets. Raises ValueError."""
    return data[data.rindex(b")") + 2 :].split()


def read_file(path: str) -> bytes:
    """Return the content of a file of /proc. Raises OSError if its process has ended."""
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib would double the start-up of the launcher
        return file.read()


def read_relations(pid: int) -> Relations | None:
    """Return the relations of a process, or None if it has ended."""
    try:
        fields = parse_stat(read_file(f"/proc/{pid}/stat"))
    except OSError:
        return None
    is_zombie = fields[STATE] == b"Z" and int(fields[THREADS]) <= 1
    return Relations(int(fields[PARENT]), int(fields[GROUP]), int(fields[SESSION]), is_zombie)


def is_ending(pid: int) -> bool:
    """Return whether a process of one thread is about to end, or has ended: nothing can enter its namespaces then."""
    try:
        fields = parse_stat(read_file(f"/proc/{pid}/stat"))
    except OSError:
        return True
    return int(fields[THREADS]) <= 1 and bool(int(fields[FLAGS]) & _PF_EXITING or fields[STATE] in (b"Z", b"X"))


def shared_places(pid: int) -> Iterator[str]:
    """Yield the directories that tell what the threads of a process share: its own one, then that of each other thread.

    Once its first thread has ended, its own one tells nothing, although the process goes on.
    """
    yield f"/proc/{pid}"
    for tid in list_threads(pid):
        if tid != pid:
            yield f"/proc/{pid}/task/{tid}"


def read_shared(pid: int, name: str) -> bytes:
    """Return a file that tells what the threads of a process share; empty if it has ended or may not be read."""
    for place in shared_places(pid):
        try:
            if data := read_file(f"{place}/{name}"):
                return data
        except OSError:
            continue
    return b""


def read_environment(pid: int) -> set[bytes]:
    """Return the environment a process was started with, as `NAME=value`; empty if it has ended."""
    return set(filter(None, read_shared(pid, "environ").split(b"\0")))


def read_own_argument_span() -> tuple[int, int]:
    """Return the start and end address of the command line of this process in its memory.

    Raises OSError where there is no /proc.
    """
    fields = parse_stat(read_file("/proc/self/stat"))
    return int(fields[ARGUMENTS_START]), int(fields[ARGUMENTS_END])


def set_title(title: bytes) -> None:
    """Set the command line that `ps` shows, if the title is shorter; a fork would show that of its parent."""
    try:
        start, end = read_own_argument_span()
    except OSError:
        return  # no /proc tells where it lies
    if start and end - start > len(title):
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, title, len(title))


def list_processes() -> list[int]:
    """Return all process ids; none where there is no /proc."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []


def read_threads(pid: int) -> list[int]:
    """Return the thread ids of a process. Raises OSError if it has ended or may not be read."""
    return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208


def list_threads(pid: int) -> list[int]:
    """Return the thread ids of a process; none if it has ended."""
    try:
        return read_threads(pid)
    except OSError:
        return []


def list_children(pid: int) -> list[int]:
    """Return the children of a process, zombies included; none if it has ended."""
    children: list[int] = []
    for thread in list_threads(pid):
        try:
            children += map(int, read_file(f"/proc/{pid}/task/{thread}/children").split())
        except OSError:
            continue
    return children


def list_descendants(root: int) -> list[int]:
    """Return a process and all its descendants; those that start or end meanwhile may be missing."""
    found = [root]
    for pid in found:
        found += list_children(pid)
    return found
