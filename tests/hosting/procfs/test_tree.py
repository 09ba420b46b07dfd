"""What is kept open of a tree of processes, and what of its past counts."""

import os
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

from arena.hosting.procfs import meter as meter_module
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.procfs.processes import NICE, POLICY, STATE
from arena.hosting.procfs.tasks import TaskFiles
from arena.hosting.procfs.tree import Task, Tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")


def test_the_files_of_a_tree_stay_open_between_looks_until_it_is_closed() -> None:
    tree = Tree(os.getpid())
    assert not tree.is_open
    assert tree.refresh() == []
    assert tree.is_open
    tree.close()
    assert not tree.is_open


def line(state: str, nice: int = 0, policy: int = 0) -> bytes:
    """What `stat` tells of a thread with an odd name, as far as it is read."""
    fields = ["0"] * 50
    fields[STATE], fields[NICE], fields[POLICY] = state, str(nice), str(policy)
    return f"7 (a) R (b) {' '.join(fields)}".encode()


@pytest.mark.parametrize(
    ("readings", "waited", "is_low"),
    [
        pytest.param([("5 2 1", line("S"))] * 3, [2, 2, 2], False, id="it sleeps"),
        pytest.param([("5 2 1", line("R"))] * 3, [2, 12, 22], False, id="it is ready, and never gets to run"),
        pytest.param(
            [("5 2 1", line("S")), ("5 2 1", line("R")), ("5 2 1", line("R")), ("6 30 2", line("S"))],
            [2, 2, 12, 30],
            False,
            id="it slept, waits and has run",
        ),
        pytest.param([("5 2 1", line("R")), ("6 2 2", line("R"))], [2, 2], False, id="it runs"),
        pytest.param(
            [("5 2 1", line("R")), ("5 2 1", line("R", nice=5))], [2, 12], True, id="it is lowered as it waits"
        ),
        pytest.param([("5 2 1", line("S", policy=5))], [2], True, id="it is low from the start"),
        pytest.param([("5 2 1", line("S", nice=5)), ("9 2 2", line("S"))], [2, 2], False, id="it was low"),
    ],
)
def test_what_a_thread_waits_is_read_from_one_look_to_the_next(
    readings: list[tuple[str, bytes]], waited: list[int], is_low: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, found = Task(1, 1), []
    for number, (schedstat, stat) in enumerate(readings, start=1):
        files = {"schedstat": schedstat.encode(), "stat": stat}
        monkeypatch.setattr(TaskFiles, "read", lambda _self, name, files=files: files[name])
        task.read(10 * (number - 1), 0)
        found.append(task.waited_ns(10 * number))
    assert (found, task.is_low) == (waited, is_low)


class Past:
    """A tree of one process with one thread, which has run often before anybody looked."""

    def __init__(self, _pid: int) -> None:
        self.waited_at: int = 10**9
        self.task = SimpleNamespace(
            waited_ns=lambda _now: self.waited_at,
            ran_ns=0,
            turns=1000,
            waiter=None,
            is_low=False,
            stands_still=False,
            waits_since_ns=0,
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
