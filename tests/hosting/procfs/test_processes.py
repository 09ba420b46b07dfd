"""Which processes there are, what they use, and memory that is in no count of resident pages."""

from __future__ import annotations

import mmap
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.hosting.procfs import usage
from arena.hosting.procfs.machine import machine_bytes
from arena.hosting.procfs.processes import read_environment, read_relations
from arena.hosting.procfs.usage import (
    BUFFER_BYTES,
    FREE_BUFFERS,
    LINK_BYTES,
    MAPPING_BYTES,
    MOST_SHARED_BYTES,
    KernelObjects,
    count_descriptors,
    count_kernel_objects,
    count_oom_kills,
    exact_bytes,
    hidden_bytes,
    machine_memory,
    proportional_bytes,
    resident_bytes,
    share_memory,
    tree_resident_bytes,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")

PROGRAM = """
import ctypes, os, platform, sys, threading, time
held = b"x" * (30 << 20)
files = [os.open("/dev/null", 0) for _ in range(50)]
def go_on():
    while open("/proc/self/stat").read().split()[2] != "Z":
        time.sleep(0.001)
    print("alone", flush=True)
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""
NOBODY = 2**22 + 1
# vfork(2) with a child that never becomes another program.
BORROWER = """
import ctypes
held = b"x" * (50 << 20)
CLONE_VM, SIGCHLD = 0x100, 17
stack = ctypes.create_string_buffer(1 << 16)
pause = ctypes.cast(ctypes.CDLL(None).pause, ctypes.c_void_p)
top = ctypes.c_void_p(ctypes.addressof(stack) + (1 << 16) - 16)
print(ctypes.CDLL(None).clone(pause, top, CLONE_VM | SIGCHLD, None), flush=True)
ctypes.CDLL(None).pause()
"""
NO_GROWTH, MUCH = 0, 1 << 40


@contextmanager
def running() -> Iterator[subprocess.Popen[bytes]]:
    """A process whose first thread has ended."""
    command = [sys.executable, "-I", "-S", "-c", PROGRAM]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env={"ARENA_TOKEN": "x" * 32}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"alone\n"
        yield process
        process.communicate()


@pytest.fixture
def headless() -> Iterator[subprocess.Popen[bytes]]:
    with running() as process:
        yield process


def test_two_of_them_are_not_in_one_memory(headless: subprocess.Popen[bytes]) -> None:
    with running() as other:  # to the kernel neither has any by its own number
        assert not share_memory(headless.pid, other.pid)


def test_it_is_read_by_another_thread(headless: subprocess.Popen[bytes]) -> None:
    assert resident_bytes(headless.pid) > 30 << 20
    assert proportional_bytes(headless.pid) > 30 << 20
    assert count_descriptors(headless.pid) >= 52
    assert b"ARENA_TOKEN=" + b"x" * 32 in read_environment(headless.pid)


def test_it_is_no_zombie_before_all_of_it_has_ended(headless: subprocess.Popen[bytes]) -> None:
    relations = read_relations(headless.pid)
    assert relations is not None
    assert not relations.is_zombie
    headless.kill()
    while not relations.is_zombie:
        relations = read_relations(headless.pid)
        assert relations is not None  # nobody has waited for it


def test_the_memory_of_a_process_is_that_of_its_tree_and_no_more_than_the_machine_has() -> None:
    alone = tree_resident_bytes(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        while not tree_resident_bytes(child.pid):
            pass
        assert tree_resident_bytes(os.getpid()) > tree_resident_bytes(child.pid) > 0
        child.communicate(b"\n")
    assert 0 < alone < machine_bytes()


def test_a_shared_page_counts_less_than_whole() -> None:
    assert 0 < proportional_bytes(os.getpid()) <= resident_bytes(os.getpid()) * 1.1


def test_memory_that_is_lent_to_a_starting_process_counts_once() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", BORROWER], stdout=subprocess.PIPE) as lender:
        assert lender.stdout is not None
        borrower = int(lender.stdout.readline())
        assert share_memory(lender.pid, borrower)
        assert not share_memory(lender.pid, os.getpid())
        whole = proportional_bytes(lender.pid)
        assert whole > 50 << 20
        assert exact_bytes([lender.pid, borrower]) < whole * 1.5
        os.kill(borrower, signal.SIGKILL)
        lender.kill()


def test_open_files_are_counted() -> None:
    before = count_descriptors(os.getpid())
    read_end, write_end = os.pipe()
    assert count_descriptors(os.getpid()) == before + 2
    os.close(read_end)
    os.close(write_end)


def test_a_process_that_has_ended_holds_nothing() -> None:
    figures = [measure(NOBODY) for measure in (resident_bytes, proportional_bytes, tree_resident_bytes)]
    assert [*figures, count_descriptors(NOBODY)] == [0, 0, 0, 0]


def own_bytes(shared_growth: int = NO_GROWTH) -> int:
    return hidden_bytes([os.getpid()], (NO_GROWTH, shared_growth), count_kernel_objects([os.getpid()]))


def test_a_process_that_has_ended_hides_nothing() -> None:
    assert count_kernel_objects([NOBODY]) == KernelObjects()
    assert hidden_bytes([NOBODY], (MUCH, MUCH), KernelObjects()) == 0


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


@pytest.mark.hostile("fork-a-chain-of-mappings")
def test_mappings_count_again_for_each_process_as_far_as_the_kernel_grew() -> None:
    pids = [os.getpid()] * 10
    least, most = (hidden_bytes(pids, (growth, NO_GROWTH), KernelObjects()) for growth in (NO_GROWTH, MUCH))
    links = (most - least) // LINK_BYTES
    assert links > len(pids) * len(pids) * 20  # a process has more mappings than that
    assert hidden_bytes(pids, (5, NO_GROWTH), KernelObjects()) - least == 5


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


@pytest.mark.hostile("hide-files-on-their-way")
def test_a_file_that_was_sent_and_not_received_counts() -> None:
    ours, its = socket.socketpair()
    with ours, its, Path(os.devnull).open("rb") as file:
        before = count_kernel_objects([os.getpid()])
        socket.send_fds(ours, [b"x"], [file.fileno()] * 7)
        now = count_kernel_objects([os.getpid()])
        assert (now.on_their_way - before.on_their_way, now.buffers - before.buffers) == (7, 7)


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="only Linux has epoll")
@pytest.mark.hostile("fill-the-kernel-with-watches")
def test_a_file_that_is_watched_counts_for_each_list_and_each_number() -> None:
    before = count_kernel_objects([os.getpid()]).watches
    with select.epoll() as one, select.epoll() as other, socket.socket() as watched, watched.dup() as again:
        for watcher in (one, other):
            for end in (watched, again):
                watcher.register(end, 0)
        assert count_kernel_objects([os.getpid()]).watches - before == 4


def test_the_machine_tells_what_its_kernel_holds_and_what_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    told = b"MemTotal: 8000 kB\nShmem: 7 kB\nKernelStack: 10 kB\nPageTables: 200 kB\nSUnreclaim: 3000 kB\n"
    monkeypatch.setattr(usage, "read_file", lambda _path: told)
    assert machine_memory() == (3210 * 1024, 7 * 1024)


@pytest.mark.parametrize(("told", "kills"), [(b"oom_kill_x 5\nnr_free_pages 7\noom_kill 3\n", 3), (b"pgfault 9\n", 0)])
def test_the_machine_tells_how_many_processes_it_killed_for_want_of_memory(
    monkeypatch: pytest.MonkeyPatch, told: bytes, kills: int
) -> None:
    monkeypatch.setattr(usage, "read_file", lambda _path: told)
    assert count_oom_kills() == kills
