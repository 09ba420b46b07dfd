"""What /proc tells of a process whose first thread has ended while another one goes on."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.hosting.procfs.processes import read_environment, read_relations
from arena.hosting.procfs.usage import count_descriptors, proportional_bytes, resident_bytes, share_memory

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
