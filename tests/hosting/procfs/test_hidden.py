"""Memory that is in no count of resident pages."""

import mmap
import os
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.hosting.procfs import hidden
from arena.hosting.procfs.hidden import (
    BUFFER_BYTES,
    FREE_BUFFERS,
    MAPPING_BYTES,
    MOST_SHARED_BYTES,
    hidden_bytes,
    machine_memory,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")

NO_GROWTH, MUCH = 0, 1 << 40
NOBODY = 2**22 + 1


def own_bytes(shared_growth: int = NO_GROWTH) -> int:
    return hidden_bytes([os.getpid()], shared_growth)


def test_a_process_that_has_ended_hides_nothing() -> None:
    assert hidden_bytes([NOBODY], MUCH) == 0


def test_the_machine_has_a_kernel() -> None:
    kernel, shared = machine_memory()
    assert kernel > 0
    assert shared >= 0


@pytest.mark.hostile("fill-the-kernel-with-mappings")
def test_every_mapping_counts() -> None:
    page, before = mmap.PAGESIZE, own_bytes()
    with mmap.mmap(-1, 2000 * page, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as region:
        for index in range(0, 2000, 2):
            region.madvise(mmap.MADV_DONTFORK, index * page, page)  # a mapping of its own in the middle of another one
        assert own_bytes() - before > 1900 * MAPPING_BYTES


@pytest.mark.hostile("share-memory-and-let-it-go")
def test_shared_memory_counts_for_as_much_as_the_machine_lost_at_most() -> None:
    before = own_bytes(MUCH)
    with mmap.mmap(-1, mmap.PAGESIZE), mmap.mmap(-1, mmap.PAGESIZE):
        assert own_bytes(MUCH) - before >= 2 * MOST_SHARED_BYTES
        assert own_bytes(MOST_SHARED_BYTES // 2) - own_bytes(NO_GROWTH) <= MOST_SHARED_BYTES // 2


@pytest.mark.hostile("fill-the-kernel-with-messages")
def test_sockets_count_beyond_the_number_that_honest_bots_have() -> None:
    before = own_bytes()
    with ExitStack() as stack:
        for _ in range(FREE_BUFFERS):
            for end in socket.socketpair():
                stack.enter_context(end)
        assert own_bytes() - before >= FREE_BUFFERS * BUFFER_BYTES


@pytest.mark.hostile("fill-the-kernel-with-messages")
def test_a_file_that_is_closed_while_they_are_counted_hides_no_socket() -> None:
    """The list of files has a descriptor itself, the lowest that is free; it is closed when its own name is read."""
    before = own_bytes()
    with ExitStack() as stack:
        with Path(os.devnull).open("rb"):
            for _ in range(FREE_BUFFERS):
                for end in socket.socketpair():
                    stack.enter_context(end)
        assert own_bytes() - before >= FREE_BUFFERS * BUFFER_BYTES


def test_the_machine_tells_what_its_kernel_holds_and_what_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    told = b"MemTotal: 8000 kB\nShmem: 7 kB\nKernelStack: 10 kB\nPageTables: 200 kB\nSUnreclaim: 3000 kB\n"
    monkeypatch.setattr(hidden, "read_file", lambda _path: told)
    assert machine_memory() == (3210 * 1024, 7 * 1024)
