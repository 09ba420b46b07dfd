"""Reads what processes use: memory, descriptors, the private /tmp of a sandbox. It is 0 for those that have ended.

Mappings, page tables and the buffers of sockets and pipes are hidden memory: the kernel holds it outside of the
resident pages. No file tells the size of a buffer: beyond a number that no honest bot has, each is taken for full. A
sandbox has a table of its sockets, in which also those stand that no process has open. A piece of shared anonymous
memory stays whole as long as one page of it is mapped anywhere, and no process shows what was released of it: each
piece is taken for as large as it may be.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass

from arena.hosting.procfs.processes import list_descendants, read_file, read_relations, read_shared, shared_places

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PRIVATE_PLACES = ("tmp", "dev/shm")
MAPPING_BYTES = 256
"""One mapping with its part of the tree in which the kernel keeps it."""
LINK_BYTES = 64
"""By one link each the kernel finds a mapping from every process that it was forked from."""
MOST_SHARED_BYTES = 1 << 20
"""The largest piece of shared anonymous memory that a sandbox lets a bot make."""
BUFFER_BYTES = 212_992
"""What a socket may hold by default, and a sandboxed bot can ask for no more; a pipe holds less."""
FREE_BUFFERS = 64
DATAGRAM_BUFFERS = 11
"""Full buffers that others can send to a socket with a name before they are gone: net.unix.max_dgram_qlen, and one."""
MOST_WATCHES = 65_536
"""Files that epoll watches. A bot with 512 descriptors has no more under their own numbers, 256 files in 256 lists."""
_SHARED = b"/dev/zero (deleted)"
_SOCKET, _BUFFERED = "socket:", ("socket:", "pipe:")
_WATCHING = "anon_inode:[eventpoll]"
_DATAGRAMS = b"0002"
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
_OUR_NETWORK = _identity("/proc/self/ns/net") if os.path.exists("/proc/self/ns/net") else None  # noqa: PTH110 - as above


def machine_memory() -> tuple[int, int]:
    """Return what this machine's kernel holds for itself, and all shared memory, in bytes; 0 where that is unknown."""
    kernel = shared = 0
    with contextlib.suppress(OSError):
        for line in read_file("/proc/meminfo").splitlines():
            name, size, *_ = line.split()
            kernel += int(size) * 1024 if name in _KERNEL_FIELDS else 0
            shared += int(size) * 1024 if name == b"Shmem:" else 0
    return kernel, shared


def count_oom_kills() -> int:
    """Return how many processes this machine's kernel has killed for want of memory; 0 where that is unknown."""
    with contextlib.suppress(OSError):
        for line in read_file("/proc/vmstat").splitlines():
            name, _, number = line.partition(b" ")
            if name == b"oom_kill":
                return int(number)
    return 0


@dataclass(frozen=True, slots=True)
class KernelObjects:
    """What processes hold of the kernel by their open files."""

    buffers: int = 0
    """Sockets and pipes, each as often as it may be full."""
    on_their_way: int = 0
    """Descriptors in messages that nobody has received."""
    watches: int = 0
    """Files that epoll watches, counted to a little beyond `MOST_WATCHES`."""


def count_kernel_objects(pids: Sequence[int]) -> KernelObjects:
    """Return what these processes hold of the kernel by their open files."""
    found: dict[str, str] = {}
    unread = watches = 0
    for pid in pids:
        files = _open_files(pid)
        unread += 0 if files else count_descriptors(pid)
        for name, facts in files:
            if name.startswith(_BUFFERED):
                found[name] = facts
            elif name == _WATCHING and watches <= MOST_WATCHES:
                # Whoever reads one byte of it waits for all: the kernel writes the whole list first.
                watches += _read_facts(facts).count(b"\ntfd:")
    sockets = [facts for name, facts in found.items() if name.startswith(_SOCKET)]
    sent = sum(map(_count_sent, sockets))
    buffers = max(len(sockets), _count_in_table(pids)) + len(found) - len(sockets) + sent + unread
    return KernelObjects(buffers, sent, watches)


def _read_facts(path: str) -> bytes:
    with contextlib.suppress(OSError):  # it was closed meanwhile
        return read_file(path)
    return b""


def _count_sent(facts: str) -> int:
    """Return how many descriptors lie in a socket, in messages that were sent to it."""
    lines = (line.split() for line in _read_facts(facts).splitlines() if line.startswith(b"scm_fds:"))
    return next((int(words[1]) for words in lines), 0)


def _count_in_table(pids: Sequence[int]) -> int:
    """Return the buffers of all sockets in the sandbox around these processes; 0 if it has no network of its own.

    Among them are connections that nobody has accepted, and sockets on their way through other ones.
    """
    for pid in reversed(pids):
        for place in shared_places(pid):
            with contextlib.suppress(OSError):
                if _identity(f"{place}/ns/net") == _OUR_NETWORK:
                    return 0
                rows = (line.split() for line in read_file(f"{place}/net/unix").splitlines()[1:])
                return sum(DATAGRAM_BUFFERS if row[4] == _DATAGRAMS and len(row) > 7 else 1 for row in rows)
    return 0


def hidden_bytes(pids: Sequence[int], growth: tuple[int, int], objects: KernelObjects) -> int:
    """Return what these processes hold of the kernel, `objects` among it, and in shared anonymous memory.

    `growth` is by how much the machine's kernel and all its shared memory grew meanwhile: they can have no more of the
    links between mappings, of which no file tells the number, and of shared memory.
    """
    kernel_growth, shared_growth = growth
    mappings, pieces = 0, set[bytes]()
    for pid in pids:
        lines = read_shared(pid, "maps")
        mappings += lines.count(b"\n")
        pieces |= _shared_pieces(lines)
    return (
        sum(map(_table_bytes, pids))
        + mappings * MAPPING_BYTES
        + min(mappings * len(pids) * LINK_BYTES, max(kernel_growth, 0))
        + max(objects.buffers - FREE_BUFFERS, 0) * BUFFER_BYTES
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


def _open_files(pid: int) -> list[tuple[str, str]]:
    """Return the names of the open files of a process, each with the path of what the kernel tells of it.

    None if its program may not be read, and so may not be they.
    """
    for place in shared_places(pid):
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = os.listdir(f"{place}/fd")  # noqa: PTH208 - pathlib would double the start-up of the launcher
        found = []
        for name in names:
            with contextlib.suppress(OSError):  # one that is closed meanwhile must not hide the others
                found.append((os.readlink(f"{place}/fd/{name}"), f"{place}/fdinfo/{name}"))  # noqa: PTH115 - as above
        if found:
            return found
    return []


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
