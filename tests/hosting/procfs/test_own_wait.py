"""How long the threads of this process wait for a processor, and what it computes for others."""

import time

import pytest

from arena.hosting.procfs import own_wait
from arena.hosting.procfs.own_wait import OwnWaitMeter


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


class Machine:
    """A process with threads, of which 0 is that of the meter, and its clocks, which only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads = [Thread() for _ in range(3)]
        self.now_ns = self.cpu_ns = 10**9
        monkeypatch.setattr(time, "process_time_ns", lambda: self.cpu_ns)
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.now_ns)
        monkeypatch.setattr("threading.get_native_id", lambda: 0)
        monkeypatch.setattr(own_wait, "read_threads", lambda _pid: [0, 1, 2])
        monkeypatch.setattr(own_wait, "TaskFiles", lambda _pid, tid: self.threads[tid])
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
