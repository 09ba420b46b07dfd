"""Reads the memory that processes hold outside of their resident pages. Zero for those that have ended.

Mappings and page tables are memory of the kernel. So are the buffers of sockets and pipes, which no file tells: beyond
a number that no honest bot has, each is taken for full. A piece of shared anonymous memory stays whole as long as one
page of it is mapped anywhere, and what was let go is in no process: each is taken for as large as it may be.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from arena.hosting.procfs.processes import read_file, read_shared, shared_places
from arena.hosting.procfs.usage import count_descriptors

MAPPING_BYTES = 256
"""One mapping with its part of the tree in which the kernel keeps it."""
MOST_SHARED_BYTES = 1 << 20
"""The largest piece of shared anonymous memory that a sandbox lets a bot make."""
BUFFER_BYTES = 212_992
"""What a socket may hold by default, and a sandboxed bot can ask for no more; a pipe holds less."""
FREE_BUFFERS = 64
_SHARED = b"/dev/zero (deleted)"
_BUFFERED = ("socket:", "pipe:")
_KERNEL_FIELDS = (b"SUnreclaim:", b"PageTables:", b"KernelStack:")


def machine_memory() -> tuple[int, int]:
    """Return what this machine's kernel holds for itself, and all shared memory, in bytes; 0 where that is unknown."""
    kernel = shared = 0
    with contextlib.suppress(OSError):
        for line in read_file("/proc/meminfo").splitlines():
            name, size, *_ = line.split()
            kernel += int(size) * 1024 if name in _KERNEL_FIELDS else 0
            shared += int(size) * 1024 if name == b"Shmem:" else 0
    return kernel, shared


def hidden_bytes(pids: Sequence[int], shared_growth: int) -> int:
    """Return what these processes hold of the kernel, and in shared anonymous memory.

    Of that they can have no more than `shared_growth`, by which all shared memory of the machine grew meanwhile.
    """
    mappings, pieces = 0, set[bytes]()
    for pid in pids:
        lines = read_shared(pid, "maps")
        mappings += lines.count(b"\n")
        pieces |= _shared_pieces(lines)
    return (
        sum(map(_table_bytes, pids))
        + mappings * MAPPING_BYTES
        + max(_count_buffers(pids) - FREE_BUFFERS, 0) * BUFFER_BYTES
        + min(len(pieces) * MOST_SHARED_BYTES, max(shared_growth, 0))
    )


def _shared_pieces(mappings: bytes) -> set[bytes]:
    """Return the device and inode of each piece of shared anonymous memory in a list of mappings."""
    if _SHARED not in mappings:
        return set()
    return {b" ".join(line.split()[3:5]) for line in mappings.splitlines() if line.endswith(_SHARED)}


def _table_bytes(pid: int) -> int:
    found = (line.split() for line in read_shared(pid, "status").splitlines() if line.startswith(b"VmPTE:"))
    return next((int(words[1]) * 1024 for words in found), 0)


def _count_buffers(pids: Sequence[int]) -> int:
    """Return how many sockets and pipes processes have open, each once; all they have open where no names are told."""
    found, unread = set[str](), 0
    for pid in pids:
        names = _open_files(pid)
        unread += 0 if names else count_descriptors(pid)
        found |= {name for name in names if name.startswith(_BUFFERED)}
    return len(found) + unread


def _open_files(pid: int) -> set[str]:
    """Return the names of the open files of a process; none if its program may not be read, and so may not be they."""
    for place in shared_places(pid):
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = os.listdir(f"{place}/fd")  # noqa: PTH208 - pathlib would double the start-up of the launcher
        found = set()
        for name in names:
            with contextlib.suppress(OSError):  # one that is closed meanwhile must not hide the others
                found.add(os.readlink(f"{place}/fd/{name}"))  # noqa: PTH115 - as above
        if found:
            return found
    return set()
