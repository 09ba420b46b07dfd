"""What is kept open of a tree of processes, and what of its past counts."""

import os
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

from arena.hosting.proc import meter as meter_module
from arena.hosting.proc.meter import TreeMeter
from arena.hosting.proc.tree import Tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")


def test_the_files_of_a_tree_stay_open_between_looks_until_it_is_closed() -> None:
    tree = Tree(os.getpid())
    assert not tree.is_open
    assert tree.refresh() == []
    assert tree.is_open
    tree.close()
    assert not tree.is_open


class Past:
    """A tree of one process with one thread, which has run often before anybody looked."""

    def __init__(self, _pid: int) -> None:
        self.waited_at: int = 10**9
        self.task = SimpleNamespace(
            waited_ns=lambda _now: self.waited_at, ran_ns=0, turns=1000, waiter=None, is_low=False
        )
        self.process = SimpleNamespace(pid=1, parent=0, reaped_ns=10**9, ran_ns=lambda: 10**9)
        self.processes = {1: self.process}
        self.is_open = False

    def refresh(self) -> list[Any]:
        return []

    def read(self, _before_ns: int, _nice: int) -> None:
        return

    def tasks(self) -> list[Any]:
        return [self.task]

    def close(self) -> None:
        return


def test_what_a_bot_did_before_it_was_measured_belongs_to_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = 10**12
    monkeypatch.setattr(meter_module, "Tree", Past)
    monkeypatch.setattr(time, "monotonic_ns", lambda: now_ns)
    meter = TreeMeter(1)
    tree: Any = meter._tree
    assert (meter.total_us(), meter.has_run()) == (0, False)
    meter.begin()
    assert meter.look() == (0, 0)
    meter.begin()
    assert not meter.has_run()
    now_ns += 9_000_000
    tree.waited_at += 5_000_000
    tree.task.turns += 1
    assert meter.look() == (0, 5000)
