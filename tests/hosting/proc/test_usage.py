"""What processes hold."""

import os
import subprocess
import sys

import pytest

from arena.hosting.proc.machine import machine_bytes
from arena.hosting.proc.usage import count_descriptors, proportional_bytes, resident_bytes, tree_resident_bytes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")

NOBODY = 2**22 + 1


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


def test_open_files_are_counted() -> None:
    before = count_descriptors(os.getpid())
    read_end, write_end = os.pipe()
    assert count_descriptors(os.getpid()) == before + 2
    os.close(read_end)
    os.close(write_end)


def test_a_process_that_has_ended_holds_nothing() -> None:
    figures = [measure(NOBODY) for measure in (resident_bytes, proportional_bytes, tree_resident_bytes)]
    assert [*figures, count_descriptors(NOBODY)] == [0, 0, 0, 0]
