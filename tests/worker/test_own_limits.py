"""The limits of a process of ours: what counts, and when it falls."""

import signal
import subprocess
import sys

import pytest

from arena.hosting.errors import OVER_LIMIT_STATUS, describe_end, is_crash
from arena.worker.own_limits import FREE_SHARE, OwnLimits, OwnWatch

LIMITS = OwnLimits(memory_mb=100, cpu_s=2.0)


@pytest.fixture
def falls() -> list[str]:
    return []


@pytest.fixture
def watch(falls: list[str]) -> OwnWatch:
    return OwnWatch(LIMITS, lambda: "bots of the versions a, b", falls.append)


def test_memory_up_to_the_limit_is_allowed(watch: OwnWatch, falls: list[str]) -> None:
    watch.check_memory(100 << 20)
    assert falls == []
    watch.check_memory((100 << 20) + 1)
    assert falls == ["it held 100 MB of memory, 100 MB are allowed; with it were bots of the versions a, b"]


def test_what_may_go_on_for_ever_adds_up_to_nothing(watch: OwnWatch, falls: list[str]) -> None:
    for _ in range(1000):
        watch.count_cpu(FREE_SHARE, 1.0)
    watch.count_cpu(2.0, 0.0)
    assert falls == []
    watch.count_cpu(0.01, 0.0)
    assert falls == ["it computed for 2.0 s for nobody, 2 s are allowed; with it were bots of the versions a, b"]


def test_rest_and_messages_take_off_what_was_computed_but_are_no_credit(watch: OwnWatch, falls: list[str]) -> None:
    watch.count_cpu(1.9, 0.0)
    watch.count_cpu(0.0, 30.0)
    watch.count_cpu(1.5, 0.0)
    assert falls == []
    watch.count_cpu(-100.0, 0.0)
    watch.count_cpu(2.1, 0.0)
    assert len(falls) == 1


def test_what_was_computed_is_forgiven_when_somebody_was_found(watch: OwnWatch, falls: list[str]) -> None:
    watch.count_cpu(1.9, 0.0)
    watch.forgive()
    watch.count_cpu(1.9, 0.0)
    assert falls == []


def test_a_look_counts_this_process(falls: list[str]) -> None:
    watch = OwnWatch(OwnLimits(memory_mb=1, cpu_s=0.0), end=falls.append)
    watch.look(messages=0)
    assert falls
    assert all("with it" not in words for words in falls)


@pytest.mark.parametrize(
    ("code", "falls", "ended"),
    [
        (OVER_LIMIT_STATUS, True, "exit status 75"),
        (-signal.SIGSEGV, True, "SIGSEGV"),
        (-signal.SIGABRT, True, "SIGABRT"),
        (-signal.SIGKILL, False, "SIGKILL"),
        (-signal.SIGTERM, False, "SIGTERM"),
        (0, False, "exit status 0"),
        (1, False, "exit status 1"),
        (None, False, "exit status None"),
    ],
)
def test_whoever_was_killed_or_had_an_error_did_not_fall(code: int | None, falls: bool, ended: str) -> None:
    assert is_crash(code) is falls
    assert describe_end(code) == ended


@pytest.mark.host_fault("no-thread-for-a-worker")
def test_whoever_got_no_thread_from_the_machine_did_not_fall() -> None:
    said = "E1 thd.cc:157] pthread_create failed: Resource temporarily unavailable\nFailed to start lifeguard thread\n"
    assert not is_crash(-signal.SIGABRT, said)
    assert is_crash(-signal.SIGABRT, "terminate called without an active exception")


STOPPED = """
from arena.hosting.errors import exit_over_limit
from arena.worker.own_limits import HEADROOM_MB, OwnLimits

OwnLimits(memory_mb=64).set_hard_stop()
try:
    bytearray((64 + HEADROOM_MB) << 20)
except MemoryError:
    exit_over_limit("no memory")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what a process may reserve")
def test_the_kernel_refuses_what_is_far_beyond_the_limit() -> None:
    ended = subprocess.run([sys.executable, "-c", STOPPED], stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (OVER_LIMIT_STATUS, b"no memory\n")
