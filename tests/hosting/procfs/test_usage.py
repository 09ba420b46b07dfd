"""What processes hold."""

import os
import signal
import subprocess
import sys

import pytest

from arena.hosting.procfs.machine import machine_bytes
from arena.hosting.procfs.same_memory import share_memory
from arena.hosting.procfs.usage import (
    count_descriptors,
    exact_bytes,
    proportional_bytes,
    resident_bytes,
    tree_resident_bytes,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")

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
