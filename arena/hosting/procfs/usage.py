"""Reads what processes use: memory, descriptors, the private /tmp of a sandbox. It is 0 for those that have ended.

Mappings, page tables and the buffers of sockets and pipes are hidden memory: the kernel holds it outside of the
resident pages. No file tells the size of a buffer: beyond a number that no honest bot has, each is taken for full. A
piece of shared anonymous memory stays whole as long as one page of it is mapped anywhere, and no process shows what
was released of it: each piece is taken for as large as it may be.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Sequence

from arena.hosting.procfs.processes import list_descendants, read_file, read_relations, read_shared, shared_places

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PRIVATE_PLACES = ("tmp", "dev/shm")
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
_KCMP = {"x86_64": 312, "aarch64": 272}
_KCMP_VM = 1


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
    total = 0
    for pid in pids:
        relations = read_relations(pid)
        if relations is None or relations.parent not in pids or not share_memory(pid, relations.parent):
            total += proportional_bytes(pid)
    return total


def count_descriptors(pid: int) -> int:
    """Return how many files and connections a process has open."""
    for place in shared_places(pid):
        with contextlib.suppress(OSError):
            # Since Linux 6.2 the size is the number of entries.
            if count := os.stat(f"{place}/fd").st_size or len(os.listdir(f"{place}/fd")):  # noqa: PTH116, PTH208
                return count
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
    found, unread = set[str](), 0
    for pid in pids:
        names = _open_files(pid)
        unread += 0 if names else count_descriptors(pid)
        found |= {name for name in names if name.startswith(_BUFFERED)}
    return (
        sum(map(_table_bytes, pids))
        + mappings * MAPPING_BYTES
        + max((len(found) + unread) - FREE_BUFFERS, 0) * BUFFER_BYTES
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


def share_memory(one: int, other: int) -> bool:
    """Return whether two processes have the same memory. False where the kernel does not tell."""
    number = _KCMP.get(os.uname().machine)
    if number is None or ctypes.CDLL(None).syscall(number, one, other, _KCMP_VM, 0, 0) != 0:
        return False
    # Those whose first threads have ended would be the same to the kernel: neither has any memory by that number.
    return _has_memory(one) and _has_memory(other)


def _has_memory(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return not read_file(f"/proc/{pid}/statm").startswith(b"0 ")
    return False
