"""What a bot computes is measured whole and once, whatever carries it. With real processes."""

from __future__ import annotations

import errno
import itertools
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.hosting.errors import HostBusyError
from arena.hosting.procfs import meter as meter_module
from arena.hosting.procfs import tree as tree_module
from arena.hosting.procfs.meter import TreeMeter
from arena.hosting.procfs.processes import NICE, POLICY, STATE
from arena.hosting.procfs.run_delay import FAIR_WAIT, TaskFiles
from arena.hosting.procfs.tree import Process, Task, Tree
from tests.support.processes import held_descriptors, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc as Linux has it")

minutes = pytest.mark.needs("minutes")
MS = 1000
PROGRAM = """
import subprocess, sys, threading, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

def run(*targets):
    threads = [threading.Thread(target=target, args=args) for target, *args in targets]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def child(program, **options):
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", program], **options)

GRANDCHILD = "import subprocess, sys\\nsubprocess.run([sys.executable, '-I', '-S', '-c', {!r}])"
BURN = "import time\\nwhile time.process_time() < {}: pass\\n"
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""


@contextmanager
def busy_on(core: int) -> Iterator[None]:
    """Have a program compute on a core all the time."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as program:
        os.sched_setaffinity(program.pid, {core})
        try:
            yield
        finally:
            program.kill()


class Patient:
    """A process that does what it is told, and its meter."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.do("pass")
        self.meter = TreeMeter(self.process.pid)

    def do(self, command: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def cpu_us(self, *commands: str) -> int:
        """CPU of a decision in which these are done, with a look after each."""
        self.meter.begin()
        figures = None
        for command in commands:
            self.do(command)
            figures = self.meter.look()
            assert figures is not None
        assert figures is not None
        return figures[0]


@pytest.fixture
def patient() -> Iterator[Patient]:
    one = Patient()
    try:
        yield one
    finally:
        one.meter.close()
        one.process.kill()
        one.process.communicate()


def test_computing_is_counted_and_sleeping_is_not(patient: Patient) -> None:
    assert 100 * MS <= patient.cpu_us("burn(0.1)") < 200 * MS
    assert patient.cpu_us("time.sleep(0.4)") < 200 * MS


@pytest.mark.hostile("let-children-and-threads-compute")
@pytest.mark.parametrize(
    "commands",
    [
        pytest.param(["run((burn, 0.2), (burn, 0.2))"], id="two threads that have ended"),
        pytest.param(["for _ in range(80): run((burn, 0.005))"], id="short threads", marks=minutes),
        pytest.param(
            ["for _ in range(2): child(BURN.format(0.2)).wait()"],
            id="children that were waited for",
            marks=minutes,
        ),
        pytest.param(["child(BURN.format(0.4)).wait()"], id="a child unseen", marks=minutes),
        pytest.param(
            [
                "p = child(BURN.format(0.4) + 'print(flush=True)\\ninput()', stdin=-1, stdout=-1); p.stdout.readline()",
                "p.communicate(b'x')",
            ],
            id="a child that was seen and then waited for, once",
            marks=minutes,
        ),
        pytest.param(["child(GRANDCHILD.format(BURN.format(0.4))).wait()"], id="a grandchild"),
    ],
)
def test_threads_and_children_count_once(patient: Patient, commands: list[str]) -> None:
    # The kernel tells the times of children in ticks of 10 ms, and starting Python costs some.
    assert 360 * MS <= patient.cpu_us(*commands) < 780 * MS


def test_what_came_before_a_decision_is_not_in_it(patient: Patient) -> None:
    patient.do("burn(0.15)")
    assert patient.cpu_us("burn(0.05)") < 150 * MS
    patient.do("child(BURN.format(0.15)).wait()")
    assert patient.cpu_us("burn(0.05)") < 150 * MS


def test_a_short_decision_reads_no_file(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    patient.meter.begin()
    refuse_files(monkeypatch)
    patient.meter.begin()


def refuse_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> bytes:
        raise AssertionError("a file was read")

    monkeypatch.setattr(os, "pread", refuse)
    monkeypatch.setattr(os, "listdir", refuse)


def test_behind_a_look_nothing_is_read_of_one_that_rests_since(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient.cpu_us("burn(0.03)")
    wait_until(lambda: patient.meter.look() == patient.meter.look())  # it has gone to sleep behind its answer
    with monkeypatch.context() as patch:
        refuse_files(patch)
        patient.meter.begin()
    assert 50 * MS <= patient.cpu_us("burn(0.05)") < 150 * MS


def test_a_thread_is_seen_that_waits_for_a_processor_and_has_not_run(patient: Patient) -> None:
    """It shares the only core that it may use with a busy program."""
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(patient.process.pid, {core})
    patient.meter.begin()
    with busy_on(core):
        assert patient.process.stdin is not None
        patient.process.stdin.write("burn(0.2)\n")
        patient.process.stdin.flush()
        wait_until(lambda: (patient.meter.look() or (0, 0))[1] > 50 * MS)


def test_whether_it_has_run_is_known(patient: Patient) -> None:
    patient.meter.begin()
    patient.do("burn(0.01)")
    assert patient.meter.has_run()


def test_all_descriptors_are_given_back(patient: Patient) -> None:
    patient.meter.close()
    before = held_descriptors()
    patient.cpu_us("run(*[(burn, 0.001)] * 5)")
    patient.meter.close()
    assert held_descriptors() == before
    assert patient.cpu_us("burn(0.02)") >= 20 * MS


@pytest.mark.parametrize("make", [lambda: TreeMeter(2**22 + 1), lambda: ended()], ids=["never there", "ended"])
def test_a_process_that_is_gone_cannot_be_read(make: Callable[[], TreeMeter]) -> None:
    meter = make()
    meter.begin()
    assert meter.look() is None
    meter.close()


def ended() -> TreeMeter:
    process = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    meter = TreeMeter(process.pid)
    process.communicate(b"x\n")
    return meter


@pytest.mark.host_fault("no-descriptor-for-a-meter")
@pytest.mark.parametrize("is_open", [False, True], ids=["none is open", "the files of its threads are open"])
def test_what_a_host_without_descriptors_cannot_read_is_the_hosts_fault(patient: Patient, *, is_open: bool) -> None:
    if is_open:
        assert patient.meter.look() is not None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    patient.meter.begin()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
        with pytest.raises(HostBusyError, match="what a bot computes cannot be read: Too many open files"):
            patient.meter.look()
        patient.meter.total_us()  # who asks for nothing else is not told
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert patient.meter.look() is not None


@pytest.mark.host_fault("no-descriptor-for-a-meter")
def test_a_thread_that_the_host_does_not_let_us_read_is_not_taken_for_one_that_has_ended(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bytes:
        raise OSError(errno.ENFILE, os.strerror(errno.ENFILE))

    patient.meter.begin()
    with monkeypatch.context() as patched:
        patched.setattr(Task, "read", refuse)
        with pytest.raises(HostBusyError, match="Too many open files in system"):
            patient.meter.look()
    assert patient.meter.look() is not None


def test_a_tree_that_is_too_large_is_not_read(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.procfs.tree.MOST_TASKS", 3)
    patient.meter.begin()
    patient.do("[threading.Thread(target=time.sleep, args=(60,), daemon=True).start() for _ in range(4)]")
    assert patient.meter.look() is None


@pytest.mark.host_fault("processor-busy-with-others")
def test_the_waiting_of_a_busy_host_is_seen(patient: Patient) -> None:
    """Two threads of two processes on one core: each waits about as long as the other computes."""
    core = min(os.sched_getaffinity(patient.process.pid))
    os.sched_setaffinity(patient.process.pid, {core})
    rival = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        os.sched_setaffinity(rival.pid, {core})
        patient.meter.begin()
        waited_us = 0
        while waited_us < 20 * MS:  # the test's own time limit ends it
            patient.do("burn(0.02)")
            figures = patient.meter.look()
            assert figures is not None
            waited_us = figures[1]
    finally:
        rival.kill()
        rival.wait()


@pytest.mark.hostile("lower-its-own-weight")
@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel has no groups by session")
def test_a_session_that_made_itself_lighter_is_seen() -> None:
    program = "import os; os.setsid(); print(flush=True); input(); open('/proc/self/autogroup', 'w').write('7')"
    command = [sys.executable, "-I", "-S", "-c", f"{program}; print(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        meter = TreeMeter(process.pid)
        assert meter.lowered_to() == 0
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        assert meter.lowered_to() == 7
        meter.close()
        process.kill()


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
        files = {"schedstat": schedstat.encode(), "stat": stat, "status": b"Name:\ta\n"}
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
            is_interrupted=False,
            is_ready=False,
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
    now_ns += 9_000_000
    tree.waited_at += 5_000_000
    tree.task.turns += 1
    assert meter.look() == (0, 5000)


class Timeline:
    """Stands for a thread whose every millisecond is known, and for the clock. It is all that its bot has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, tells_sleeps: bool = True) -> None:
        self.now_ms = self.ran_ms = self.queued_ms = self.waiting_ms = 0.0
        self.turns = self.sleeps = 0
        self.state = "S"
        self.tells_sleeps = tells_sleeps
        monkeypatch.setattr(time, "monotonic_ns", lambda: round((1000 + self.now_ms) * 1_000_000))
        monkeypatch.setattr(tree_module, "read_threads", lambda _pid: [7])
        monkeypatch.setattr(Process, "ran_ns", lambda _self: round(self.ran_ms * 1_000_000))
        monkeypatch.setattr(TaskFiles, "keep_open", lambda *_names: None)
        monkeypatch.setattr(TaskFiles, "read", lambda _self, name: self.content(name))
        self.meter = TreeMeter(7)
        self.look_at_ms = self.begun_ms = 0.0
        self.spans = itertools.cycle([20.1, 38.6, 20.3, 51.1, 26.5, 42.0, 20.7, 29.9])  # as on a busy host

    def content(self, name: str) -> bytes:
        match name:
            case "schedstat":
                return f"{round(self.ran_ms * 1_000_000)} {round(self.queued_ms * 1_000_000)} {self.turns}".encode()
            case "stat":
                return line(self.state)
            case "status" if self.tells_sleeps:
                return f"Name:\ta\nvoluntary_ctxt_switches:\t{self.sleeps}\nnonvoluntary_ctxt_switches:\t9\n".encode()
            case _:
                return b""

    def begin(self) -> None:
        self.meter.begin()
        self.begun_ms, self.look_at_ms = self.now_ms, self.now_ms + 20

    def spend(self, what: str, ms: float) -> None:
        """Let the thread run, wait or sleep for so long, and look meanwhile whenever that is due."""
        self.state = "S" if what == "sleep" else "R"
        self.turns += what == "run"
        self.sleeps += what == "sleep"
        if what != "wait":
            self.queued_ms, self.waiting_ms = self.queued_ms + self.waiting_ms, 0
        while ms > 0:
            step = min(ms, self.look_at_ms - self.now_ms)
            self.now_ms += step
            ms -= step
            self.ran_ms += step if what == "run" else 0
            self.waiting_ms += step if what == "wait" else 0
            if self.now_ms >= self.look_at_ms:
                self.meter.look()
                self.look_at_ms += next(self.spans)

    def waited_ms(self) -> float:
        """What it has waited in this decision, as the meter has it."""
        figures = self.meter.look()
        assert figures is not None
        return figures[1] / 1000


def in_later_decisions(timeline: Timeline) -> None:
    """Let it be one that is scheduled often, which is no messenger, and is asked again."""
    timeline.begin()
    for _ in range(100):
        timeline.spend("run", 1)
        timeline.spend("sleep", 1)
    timeline.begin()


@pytest.mark.host_fault("processor-busy-with-others")
@pytest.mark.parametrize("others", [1, 4, 11, 23, 47])
@pytest.mark.parametrize(("is_first", "turns"), [(True, 12), (False, 25)], ids=["its first decision", "a later one"])
def test_a_bot_that_computes_beside_many_others_waits_for_all_of_them(
    is_first: bool, turns: int, others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeline = Timeline(monkeypatch)
    (Timeline.begin if is_first else in_later_decisions)(timeline)
    for _ in range(turns):
        timeline.spend("run", 4)
        timeline.spend("wait", 4 * others)
    charged_ms = timeline.now_ms - timeline.begun_ms - timeline.waited_ms()
    assert charged_ms <= 4 * turns + 40  # what it ran, and what it may have slept before the first looks


@pytest.mark.hostile("nap-to-be-paid-for-waiting")
@pytest.mark.parametrize("nap", [("sleep", 1.0), ("wait", 0.0)], ids=["it naps", "it gives the processor away"])
@pytest.mark.parametrize("tells_sleeps", [True, False])
def test_one_that_computes_next_to_nothing_gains_nothing_by_waiting(
    nap: tuple[str, float], tells_sleeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeline = Timeline(monkeypatch, tells_sleeps=tells_sleeps)
    in_later_decisions(timeline)
    for _ in range(40):
        timeline.spend(*nap)
        timeline.spend("wait", 60)
        timeline.spend("run", 0.01)
    assert timeline.waited_ms() <= FAIR_WAIT * 40 * 0.01 + 1


def test_where_the_kernel_does_not_tell_how_often_one_sleeps_a_wait_counts_as_that_of_a_nap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timeline = Timeline(monkeypatch, tells_sleeps=False)
    in_later_decisions(timeline)
    for _ in range(25):
        timeline.spend("wait", 200)
        timeline.spend("run", 4)
    assert FAIR_WAIT * 90 <= timeline.waited_ms() <= FAIR_WAIT * 100


def test_the_sleep_of_one_that_computes_is_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = Timeline(monkeypatch)
    in_later_decisions(timeline)
    for _ in range(5):
        for _ in range(5):
            timeline.spend("wait", 36)
            timeline.spend("run", 4)
        timeline.spend("sleep", 300)
    assert timeline.waited_ms() <= 25 * 36


@pytest.mark.hostile("tick-to-be-paid-for-waiting")
def test_the_waits_of_helpers_that_tick_while_the_bot_sleeps_are_not_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = Timeline(monkeypatch)
    timeline.begin()
    timeline.spend("wait", 5)
    timeline.spend("run", 1)
    for _ in range(10):
        timeline.spend("sleep", 10)
        timeline.spend("wait", 8)
        timeline.spend("run", 0.05)
        timeline.spend("sleep", 30)
    assert timeline.waited_ms() <= 5 + 8 * 2  # where a look came while one was ready, its wait counts


def test_how_long_a_bot_slept_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = Timeline(monkeypatch)
    timeline.begin()
    timeline.spend("wait", 30)
    timeline.spend("run", 10)
    timeline.waited_ms()
    assert timeline.meter.asleep_us == 0
    timeline.spend("sleep", 100)
    timeline.waited_ms()
    assert 90_000 <= timeline.meter.asleep_us <= 100_000


@pytest.mark.hostile("nap-to-be-paid-for-waiting")
def test_the_waits_of_one_that_naps_are_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = Timeline(monkeypatch)
    in_later_decisions(timeline)
    for _ in range(1000):
        timeline.spend("sleep", 0.04)
        timeline.spend("wait", 0.059)
        timeline.spend("run", 0.001)
    timeline.waited_ms()
    assert timeline.meter.asleep_us >= 60_000
