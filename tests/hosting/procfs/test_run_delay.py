"""How long bots wait for a processor, and how long the arena's own process keeps them waiting."""

from __future__ import annotations

import fcntl
import os
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.hosting.procfs import run_delay as waiting
from arena.hosting.procfs.run_delay import (
    FAIR_WAIT,
    FULL_TURN_NS,
    MESSENGER_TURNS,
    OwnWaitMeter,
    RunQueueWait,
    ThreadWait,
)
from tests.support.processes import wait_until

MS = 1_000_000
DURATIONS = st.integers(0, 10**9)


def spent(*looks: tuple[int, list[tuple[int, bool]]]) -> int:
    """The waiting after these looks: milliseconds since the one before, and what counts of each thread."""
    waiting, now = RunQueueWait(), 0
    for span, waits in looks:
        now += span * MS
        waiting.add(now, [(wait * MS, is_messenger) for wait, is_messenger in waits])
    return waiting.total_ns // MS


def test_one_thread_that_waits_makes_its_bot_wait() -> None:
    assert spent((20, [(15, False)]), (20, [(20, False)])) == 35


def test_threads_that_work_side_by_side_wait_once() -> None:
    assert spent((20, [(15, False), (12, False), (10, False)])) == 15


def test_messengers_wait_one_after_the_other() -> None:
    assert spent((60, [(15, True), (12, True), (10, False)])) == 37


def test_nobody_waits_longer_than_it_lasts() -> None:
    assert spent((20, [(15, True), (12, True)])) == 20
    assert spent((20, [(300, False)])) == 20


def test_a_wait_that_is_told_late_counts_where_it_was() -> None:
    assert spent((20, []), (20, [(30, False)])) == 30
    assert spent((20, [(20, False)]), (20, [(30, False)])) == 40


@given(st.lists(st.tuples(DURATIONS, st.lists(st.tuples(DURATIONS, st.booleans()), max_size=5)), max_size=20))
def test_the_waiting_grows_and_stays_within_the_time(looks: list[tuple[int, list[tuple[int, bool]]]]) -> None:
    waiting, now, before = RunQueueWait(), 0, 0
    for span, waits in looks:
        now += span
        waiting.add(now, waits)
        assert before <= waiting.total_ns <= now
        before = waiting.total_ns


def test_a_decision_starts_from_nothing() -> None:
    waiting = RunQueueWait()
    waiting.add(20 * MS, [(15 * MS, False)])
    waiting.begin(50 * MS)
    assert waiting.total_ns == 0
    waiting.add(60 * MS, [(40 * MS, False)])
    assert waiting.total_ns == 10 * MS


class TestWaiter:
    def test_a_messenger_waits_in_full_as_often_as_messages_come(self) -> None:
        waiter = ThreadWait()
        assert waiter.count(10 * MS, 0, 2) == (10 * MS, True)
        assert waiter.count(25 * MS, 0, MESSENGER_TURNS) == (15 * MS, True)

    def test_a_thread_that_works_waits_as_long_as_its_work_explains(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        assert waiter.count(50 * MS, 10 * MS, 110) == (50 * MS, False)

    @pytest.mark.hostile("nap-to-be-paid-for-waiting")
    def test_a_napper_is_paid_for_what_it_computes_and_not_for_its_naps(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        assert waiter.count(50 * MS, 100, 120) == (FAIR_WAIT * 100, False)

    def test_a_thread_that_is_interrupted_waits_in_full_however_many_others_there_are(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        waiter.begin(1)
        waited = 0
        for turn in range(1, 8):
            waited += 4 * MS * 3 * FAIR_WAIT
            found = waiter.count(waited, 4 * MS * turn, 100 + turn, is_interrupted=True)
            assert found == (4 * MS * 3 * FAIR_WAIT, False)

    @pytest.mark.hostile("nap-to-be-paid-for-waiting")
    @pytest.mark.parametrize(
        ("ran", "counted"), [(FULL_TURN_NS, 50 * MS), (FULL_TURN_NS - 1, (FULL_TURN_NS - 1) * FAIR_WAIT)]
    )
    def test_who_gives_the_processor_away_again_and_again_is_not_interrupted(self, ran: int, counted: int) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        waiter.begin(1)
        assert waiter.count(50 * MS, ran, 101, is_interrupted=True) == (counted, False)

    def test_waiting_that_came_before_the_work_counts_with_the_work(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        assert waiter.count(50 * MS, 0, 101) == (0, False)
        assert waiter.count(50 * MS, 10 * MS, 102) == (50 * MS, False)

    def test_a_napper_becomes_no_messenger_by_the_next_decision(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 50)
        waiter.begin(1)
        assert waiter.count(50 * MS, 0, 51) == (0, False)

    def test_what_did_not_count_in_one_decision_does_not_count_in_the_next(self) -> None:
        waiter = ThreadWait(0, 0, 0)
        waiter.count(0, 0, 100)
        waiter.count(50 * MS, 0, 101)
        waiter.begin(1)
        assert waiter.count(50 * MS, 10 * MS, 102) == (0, False)

    def test_what_was_before_it_was_known_does_not_count(self) -> None:
        assert ThreadWait(50 * MS, 10 * MS, 7).count(51 * MS, 10 * MS, 8) == (MS, True)


def test_the_referees_own_waiting_is_readable_and_given_back() -> None:
    queue = OwnWaitMeter()
    try:
        over, lasting = queue.look()
        assert over >= 0  # opening the files of many threads is work, which may count
        assert lasting == 0
        assert min(queue.look()) >= 0
    finally:
        queue.close()
    assert min(queue.look()) >= 0
    queue.close()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However late the thread that notes arrivals gets a processor, it is waited for."""
    monkeypatch.setattr(waiting, "ARRIVAL_PATIENCE_S", 3600.0)


def watches(meter: OwnWaitMeter, ours: socket.socket) -> bool:
    """Have a meter watch a socket; False while its thread is not ready."""
    meter.watch(ours.fileno())
    return bool(fcntl.fcntl(ours, fcntl.F_GETFL) & os.O_ASYNC)


class Thread:
    """Stands for the files of one thread: what it ran and waited, in nanoseconds, and whether it is ready to run."""

    def __init__(self) -> None:
        self.schedstat = (0, 0, 0)
        self.ready = False
        self.has_ended = False
        self.is_closed = False

    def keep_open(self, *_names: str) -> None:
        return

    def read_schedstat(self) -> tuple[int, int, int]:
        if self.has_ended:
            raise ProcessLookupError
        return self.schedstat

    def is_ready(self) -> bool:
        return self.ready

    def close(self) -> None:
        self.is_closed = True


class Unreadable(Thread):
    """A thread of which the system tells nothing."""

    def keep_open(self, *_names: str) -> None:
        raise FileNotFoundError


class Late(Thread):
    """A thread that waits for a processor for so long between any two readings, and is scheduled so often."""

    def __init__(self, wait_s: int, turns: int = 1) -> None:
        super().__init__()
        self.wait_ns, self.turns, self.ready = wait_s * 10**9, turns, True

    def read_schedstat(self) -> tuple[int, int, int]:
        ran_ns, waited_ns, turns = self.schedstat
        self.schedstat = ran_ns, waited_ns + self.wait_ns, turns + self.turns
        return self.schedstat


@pytest.mark.host_fault("referee-without-a-processor")
def test_when_bytes_came_is_known_however_long_nobody_could_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TaskFiles", lambda _pid, _tid: Late(10))
    meter = OwnWaitMeter()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert meter.first_came_s(0, time.monotonic()) is None  # nothing is watched
        wait_until(lambda: watches(meter, ours))
        before = time.monotonic()
        theirs.send(b"answer")
        came = meter.first_came_s(0, time.monotonic())
        assert came is not None
        assert before <= came + 10 <= time.monotonic()
        meter.begin()
        assert meter.first_came_s(0, time.monotonic()) is None
        assert not fcntl.fcntl(ours, fcntl.F_GETFL) & os.O_ASYNC
        meter.close()


@pytest.mark.host_fault("referee-without-a-processor")
def test_bytes_may_have_come_early_if_who_notes_them_waited_for_the_lock_of_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "TaskFiles", lambda _pid, _tid: Late(0, turns=2))
    meter = OwnWaitMeter()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wait_until(lambda: watches(meter, ours))
        since = time.monotonic()  # taken first: the bytes may be noted before `send` returns
        theirs.send(b"answer")
        assert meter.first_came_s(since, time.monotonic()) == pytest.approx(since, rel=0, abs=1e-9)
    meter.close()


def test_where_the_kernel_tells_no_waits_no_arrival_is_known_and_nobody_waits_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "TaskFiles", lambda _pid, _tid: Unreadable())
    clock = waiting.ArrivalClock()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert not clock.watch(ours.fileno())
    assert clock.first_came_ns(0, time.monotonic_ns()) is None


def test_where_no_bytes_came_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "TaskFiles", lambda _pid, _tid: Late(0))
    meter = OwnWaitMeter()
    ours, theirs = socket.socketpair()
    with theirs:
        wait_until(lambda: watches(meter, ours))
        assert meter.first_came_s(0, time.monotonic()) is None
        descriptor = ours.fileno()
        ours.close()
        meter.begin()
        meter.watch(descriptor)  # it is closed, so nothing is watched
        assert meter.first_came_s(0, time.monotonic()) is None
    meter.close()


class Machine:
    """A process with threads, of which 0 is that of the meter, and its clocks, which only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads = [Thread() for _ in range(3)]
        self.now_ns = self.cpu_ns = 10**9
        monkeypatch.setattr(time, "process_time_ns", lambda: self.cpu_ns)
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.now_ns)
        monkeypatch.setattr("threading.get_native_id", lambda: 0)
        monkeypatch.setattr(waiting, "read_threads", lambda _pid: [*range(len(self.threads))])
        monkeypatch.setattr(waiting, "TaskFiles", lambda _pid, tid: self.threads[tid])
        self.meter = OwnWaitMeter()

    def look_after(self, us: int) -> tuple[int, int]:
        self.now_ns += us * 1000
        return self.meter.look()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.mark.parametrize(("work_us", "for_others_us"), [(1999, 0), (2000, 0), (2001, 1), (9000, 7000)])
def test_two_milliseconds_of_work_are_a_decisions_own(machine: Machine, work_us: int, for_others_us: int) -> None:
    machine.cpu_ns += work_us * 1000
    assert machine.meter.look() == (for_others_us, 0)
    assert machine.meter.look() == (0, 0)


def test_all_is_read_when_no_bytes_lie_there_and_no_other_thread_is_ready(machine: Machine) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        machine.meter.look()
        assert not machine.meter.is_clear  # nothing is watched
        wait_until(lambda: watches(machine.meter, ours))
        machine.meter.look()
        assert machine.meter.is_clear
        machine.threads[1].ready = True
        machine.meter.look()
        assert not machine.meter.is_clear
        machine.threads[1].ready = False
        theirs.send(b"answer")
        machine.meter.look()
        assert not machine.meter.is_clear
        ours.recv(16)
        machine.meter.look()
        assert machine.meter.is_clear
        machine.meter.close()


def test_all_waits_add_up_those_of_threads_that_are_new_too(machine: Machine) -> None:
    known, new = machine.threads[:2], machine.threads[2:]
    machine.threads = known
    machine.look_after(100)
    machine.threads = [*known, *new]
    new[0].ready = True
    machine.look_after(100)
    for thread in machine.threads:
        thread.schedstat = (0, 4_000_000, 1)
    assert machine.look_after(300) == (8000, 300)
    assert machine.meter.waited_us == 12_300


def test_what_was_computed_before_a_decision_is_not_on_its_clock(machine: Machine) -> None:
    machine.cpu_ns += 9_000_000
    machine.meter.begin()
    assert machine.meter.look() == (0, 0)


def test_waits_that_are_over_are_those_of_the_own_thread_and_the_longest_of_another(machine: Machine) -> None:
    for thread in machine.threads:
        thread.schedstat = (0, 70_000_000, 1)
    assert machine.meter.look() == (0, 0)
    for thread, waited_ns in zip(machine.threads, (1_000_000, 2_000_000, 4_000_000), strict=True):
        thread.schedstat = (0, 70_000_000 + waited_ns, 2)
    assert machine.meter.look() == (5000, 0)
    assert machine.meter.look() == (0, 0)


def test_a_wait_that_lasts_is_counted_from_the_last_look_without_it(machine: Machine) -> None:
    other = machine.threads[1]
    assert machine.look_after(100) == (0, 0)
    other.ready = True
    assert machine.look_after(300) == (0, 300)
    assert machine.look_after(400) == (0, 700)
    other.schedstat = (500, 0, 1)  # it has run meanwhile, nobody knows when, and waits anew
    assert machine.look_after(50) == (0, 750)
    assert machine.look_after(50) == (0, 50)
    other.ready = False
    assert machine.look_after(50) == (0, 0)


def test_a_wait_of_the_own_thread_is_over_when_it_looks(machine: Machine) -> None:
    machine.threads[0].ready = True
    assert machine.look_after(100) == (0, 0)
    assert machine.look_after(100) == (0, 0)


def test_a_thread_that_has_ended_is_asked_no_more(machine: Machine) -> None:
    machine.meter.look()
    machine.threads[2].has_ended = True
    assert machine.meter.look() == (0, 0)
    assert [thread.is_closed for thread in machine.threads] == [False, False, True]
    machine.meter.close()
    assert machine.threads[0].is_closed


def test_who_neither_ran_nor_waited_was_idle(machine: Machine) -> None:
    machine.meter.look()
    machine.threads[0].schedstat = (30_000_000, 20_000_000, 2)
    machine.look_after(70_000)
    assert machine.meter.idle_us == 20_000
