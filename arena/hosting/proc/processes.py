"""What the launcher asks of the kernel: relations of processes, files of /proc, prctl. Linux where it matters.

Nothing in this package imports more of the arena than this package: it must start fast, and without gRPC.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from dataclasses import dataclass, replace

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

IS_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True) if IS_LINUX else None


def prctl(option: int, value: int) -> None:
    """Change something about this process; nothing happens on another system."""
    if _LIBC is not None:
        _LIBC.prctl(option, value, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Relations:
    """Who a process belongs to."""

    parent: int
    group: int
    session: int
    is_zombie: bool


def read_relations(pid: int) -> Relations | None:
    """Those of a process; None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib would double the start-up
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return Relations(int(fields[1]), int(fields[2]), int(fields[3]), fields[0] == b"Z")


def read_environment(pid: int) -> set[bytes]:
    """The environment a process was started with; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 - as above
            return set(file.read().split(b"\0"))
    except OSError:
        return set()


def list_processes() -> list[int]:
    """All process ids; none where there is no /proc."""
    return [int(name) for name in (os.listdir("/proc") if IS_LINUX else ()) if name.isdigit()]  # noqa: PTH208


def list_threads(pid: int) -> list[str]:
    """The thread ids of a process; none if it has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return []


def list_children(pid: int) -> list[int]:
    """The children of a process, zombies too; none if it has ended."""
    children: list[int] = []
    for thread in list_threads(pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:  # noqa: PTH123
            children += map(int, file.read().split())
    return children


def list_descendants(root: int) -> list[int]:
    """A process and all below it; what is started or ends meanwhile may be missing."""
    found = [root]
    for pid in found:
        found += list_children(pid)
    return found


def signal_exactly(pid: int, relations: Relations, number: int = signal.SIGKILL) -> None:
    """Signal a process that is not our child, unless its id belongs to another one by now."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        now = read_relations(pid)
        if now is not None and replace(now, is_zombie=relations.is_zombie) == relations:
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        pass
    finally:
        os.close(handle)


def set_title(title: bytes) -> None:
    """What `ps` shows: a fork would else look like what it was forked from. At most as long as that was."""
    if not IS_LINUX:
        return
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - as above
        start, end = map(int, file.read().rpartition(b")")[2].split()[45:47])  # arg_start and arg_end
    if start and end - start > len(title):
        ctypes.memset(start, 0, end - start)
        ctypes.memmove(start, title, len(title))


def remove_tree(path: str | None) -> None:
    """Remove a directory, also if a bot took away its own right to change something in it, and however deep it is.

    Directories are brought up before they are emptied: a path can be too long to be named, and too deep to recurse.
    """
    if path is None:
        return
    name, directories = os.urandom(8).hex(), [(path, path)]
    with contextlib.suppress(OSError):
        os.chmod(path, 0o700)  # noqa: PTH101 - as above
    for directory, top in directories:
        for entry in _list_entries(directory):
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)  # noqa: PTH108 - as above
                    continue
                os.chmod(entry.path, 0o700)  # noqa: PTH101 - as above
                place = entry.path
                if directory not in (path, top):
                    place = os.path.join(top, f"{name}-{len(directories)}")  # noqa: PTH118 - as above
                    os.rename(entry.path, place)  # noqa: PTH104 - as above
                directories.append((place, place if directory == path else top))
    for directory, _ in reversed(directories):
        with contextlib.suppress(OSError):
            os.rmdir(directory)  # noqa: PTH106 - as above


def _list_entries(directory: str) -> list[os.DirEntry[str]]:
    """What lies in a directory; nothing if it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []
