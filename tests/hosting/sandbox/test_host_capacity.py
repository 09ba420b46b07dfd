"""What this host allows is looked up before anything is played: what can be raised is, and what cannot is told."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from arena.hosting.errors import HostingError
from arena.hosting.procfs import machine
from arena.hosting.procfs.machine import MEGABYTE, free_bytes, machine_bytes
from arena.hosting.sandbox import host_capacity
from arena.hosting.sandbox.host_capacity import (
    FEWEST_DESCRIPTORS,
    MANY_DESCRIPTORS,
    THREADS,
    WORKER_DESCRIPTORS,
    WORKER_MB,
    WORKER_THREADS,
    check_host,
)

PROGRAM = """
import resource, sys
from arena.hosting.errors import HostingError
from arena.hosting.sandbox.host_capacity import check_host
soft, hard, workers = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
try:
    check_host(workers)
except HostingError as error:
    print(error)
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.fixture
def roomy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A host that has all that is needed, whatever this one has."""
    monkeypatch.setattr(host_capacity, "has_room", lambda _: True)
    monkeypatch.setattr(host_capacity, "free_bytes", lambda: 1 << 50)
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result((4096, 4096, *[1 << 40] * 6, 0, 255)))
    return monkeypatch


LIMITED = """
import resource, sys
from arena.hosting.errors import HostingError
from arena.hosting.sandbox.host_capacity import check_host
which, limit = map(int, sys.argv[1:])
resource.setrlimit(which, (limit, limit))
try:
    check_host(1)
except HostingError as error:
    print(error)
"""


@pytest.mark.host_fault("ulimit-of-memory")
@pytest.mark.parametrize(
    ("which", "limit", "option"),
    [(resource.RLIMIT_AS, 700 << 20, "-v"), (resource.RLIMIT_FSIZE, 1 << 20, "-f"), (resource.RLIMIT_CPU, 600, "-t")],
)
def test_a_limit_that_bots_would_reach_is_named_before_anything_is_played(which: int, limit: int, option: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", LIMITED, str(which), str(limit)], capture_output=True, text=True, check=True
    )
    figure = limit if option == "-t" else limit // 1024
    assert told.stdout.startswith(f"this host sets a limit of {figure} (ulimit {option}), and bots need ")
    assert f"raise it with `ulimit {option} " in told.stdout


STACK = """
import resource, threading
from arena.hosting.sandbox.host_capacity import allow_inherited
resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
allow_inherited()
print(resource.getrlimit(resource.RLIMIT_STACK)[0], threading.stack_size())
"""


@pytest.mark.host_fault("ulimit-of-the-stack")
def test_threads_that_begin_later_get_the_stack_that_was_raised() -> None:
    told = subprocess.run([sys.executable, "-c", STACK], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(8 << 20)] * 2


def check_with(soft: int, hard: int, workers: int) -> list[str]:
    """What is said of a host with these limits on descriptors, and the limits after that."""
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, (soft, hard, workers))], capture_output=True, text=True, check=True
    )
    return told.stdout.splitlines()


@pytest.mark.host_fault("few-descriptors")
@pytest.mark.parametrize("most", [40, 64, FEWEST_DESCRIPTORS - 1])
def test_a_host_that_allows_too_few_descriptors_is_refused_with_the_figures(most: int) -> None:
    told, limits = check_with(most, most, 1)
    assert f"allows a process {most} open files (ulimit -n), and the arena needs {FEWEST_DESCRIPTORS};" in told
    assert f"`ulimit -n {FEWEST_DESCRIPTORS}`" in told
    assert limits == f"{most} {most}"


def test_many_workers_need_more_descriptors_than_one_has() -> None:
    workers = FEWEST_DESCRIPTORS // WORKER_DESCRIPTORS
    told, _ = check_with(FEWEST_DESCRIPTORS, FEWEST_DESCRIPTORS, workers)
    assert f"and the arena needs {64 + WORKER_DESCRIPTORS * workers};" in told


def test_a_limit_is_raised_as_far_as_the_host_allows() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
    assert check_with(200, hard, 1)[-1] == f"{hard} {hard}"
    assert hard < MANY_DESCRIPTORS


def test_a_host_with_room_is_not_refused(roomy: pytest.MonkeyPatch) -> None:
    check_host(2)


@pytest.mark.host_fault("little-room")
def test_as_many_threads_as_its_workers_need_must_have_room(roomy: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    roomy.setattr(host_capacity, "has_room", tried.append)
    needed = THREADS + 3 * WORKER_THREADS
    with pytest.raises(HostingError, match=f"no room for {needed} more processes .* 3 workers need; .*ulimit -u"):
        check_host(3)
    assert tried == [needed]


@pytest.mark.host_fault("little-room")
def test_as_much_memory_as_its_workers_need_must_be_free(roomy: pytest.MonkeyPatch) -> None:
    roomy.setattr(host_capacity, "free_bytes", lambda: (3 * WORKER_MB - 1) * MEGABYTE)
    with pytest.raises(
        HostingError, match=f"{3 * WORKER_MB - 1} MB of free memory, and 3 workers need {3 * WORKER_MB}"
    ):
        check_host(3)
    check_host(2)


@pytest.mark.host_fault("little-room")
def test_as_much_as_a_bot_may_write_must_fit_on_the_disk(roomy: pytest.MonkeyPatch, tmp_path: Path) -> None:
    roomy.setattr(os, "statvfs", lambda _: os.statvfs_result((4096, 4096, 1 << 30, 256, 256, *[1 << 30] * 3, 0, 255)))
    roomy.setattr(host_capacity, "find_base", lambda: tmp_path)
    with pytest.raises(HostingError, match=f"^{tmp_path} has 1 MB left, and bots may write 64 MB there; .*TMPDIR"):
        check_host(1)


def test_what_a_container_may_still_use_is_its_limit_without_what_can_be_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    facts = {
        "_CGROUP_LIMIT": "1000",
        "_CGROUP_USED": "700",
        "_CGROUP_PARTS": "anon 300\nactive_file 100\ninactive_file 50",
    }
    for name, text in facts.items():
        (tmp_path / name).write_text(text, encoding="ascii")
        monkeypatch.setattr(machine, name, tmp_path / name)
    assert free_bytes() == 1000 - (700 - 100 - 50)


def test_where_nobody_tells_what_is_free_all_memory_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "_CGROUP_USED", tmp_path / "memory.current")
    assert free_bytes() == machine_bytes()
