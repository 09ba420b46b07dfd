"""Groups of this machine and of a kernel that has version 2 alone: made, measured, frozen, killed, removed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.hosting.cgroups import cgroup as group_module
from arena.hosting.cgroups.cgroup import Cgroup, CpuAccount, kill_all, list_members
from arena.hosting.cgroups.hierarchy import GroupError, GroupLimits, GroupPlace
from arena.hosting.cgroups.launcher_groups import GroupHolder, sweep_groups
from arena.hosting.cgroups.offer import find_offer
from arena.hosting.procfs.meter import GroupMeter
from tests.support.machines import own_python, run_booted, why_not_booted
from tests.support.processes import wait_until


def need_groups() -> None:
    """The test is skipped where no groups can be made."""
    try:
        find_offer()
    except GroupError as error:
        pytest.skip(f"no control groups here: {error}")


LIMITS = GroupLimits(memory_bytes=64 << 20, processes=200)
STORM = """
import os, sys
sys.stdout.write("ready\\n"); sys.stdout.flush()
while True:
    try:
        if os.fork():
            os._exit(0)
        os.fork()
    except OSError:
        pass
"""
FORGOTTEN = """
import os, sys, time
for line in sys.stdin:
    if os.fork() == 0:
        if os.fork() == 0:  # its parent ends at once, so that nobody of ours waits for it
            while time.process_time() < 0.2: pass
            os.write(1, b"done\\n")
        os._exit(0)
    os.wait()
"""
PLACE = cast("Any", SimpleNamespace(cgroup_version=SimpleNamespace(kill=None)))
KILLED = [(1001, signal.SIGKILL), (1002, signal.SIGKILL)]


@pytest.fixture
def holder() -> Iterator[GroupHolder]:
    need_groups()
    one = GroupHolder()
    yield one
    one.clear()


@pytest.fixture
def group(holder: GroupHolder) -> Iterator[Cgroup]:
    one = holder.make(1, LIMITS)
    yield one
    one.remove()
    assert not any(map(os.path.isdir, one.place.distinct))


def start(group: Cgroup, program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", program],
        preexec_fn=group.enter,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_it_is_in_the_group_from_its_first_instruction_on(group: Cgroup) -> None:
    with start(group, "print(open('/proc/self/cgroup').read())") as process:
        said = process.communicate()[0]
    name = Path(group.place.distinct[0]).name
    assert said.count(name) == len(group.place.distinct)


@pytest.mark.hostile("fork-storm")
def test_a_fork_storm_is_killed_as_a_whole_asleep_or_awake(group: Cgroup) -> None:
    for is_asleep in (False, True):
        with start(group, STORM) as process:
            assert read_line(process) == "ready\n"
            if is_asleep:
                group.freeze()
            wait_until(lambda: group.kill() or group.is_empty())  # type: ignore[func-returns-value]
            process.kill()
            process.wait()


@pytest.mark.hostile("compute-while-asleep")
def test_who_sleeps_computes_nothing_until_it_is_woken(group: Cgroup) -> None:
    account = CpuAccount(group.place)
    with start(group, "while True: pass") as process:
        wait_until(lambda: account.used_us() > 10_000)
        group.freeze()
        wait_until(group.is_frozen)
        used_us = account.used_us()
        wait_until(lambda: account.used_us() == account.used_us())
        assert account.used_us() - used_us < 20_000
        group.thaw()
        wait_until(lambda: account.used_us() - used_us > 50_000)
        process.kill()
    account.close()


@pytest.mark.hostile("children-nobody-waits-for")
def test_a_child_that_nobody_waits_for_is_charged(group: Cgroup) -> None:
    with start(group, FORGOTTEN) as process:
        assert process.stdin is not None
        whole = GroupMeter(process.pid, group.place)
        whole.begin()
        process.stdin.write("\n")
        process.stdin.flush()
        assert read_line(process) == "done\n"
        wait_until(lambda: len(list_members(group.place)) == 1)
        figures = whole.look()
        assert figures is not None
        assert figures[0] >= 200_000
        assert whole.total_us() >= 200_000
        assert whole.has_run()
        process.kill()
    whole.close()
    group.remove()
    assert whole.total_us() >= 200_000  # the last figures stay


@pytest.mark.host_fault("control-group-that-cannot-be-set-up")
def test_a_group_that_cannot_be_set_up_leaves_nothing(holder: GroupHolder) -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        holder.make(1, GroupLimits(memory_bytes=64 << 20, processes=-5))
    holder.make(1, LIMITS).remove()


def test_nobody_removes_the_group_of_an_arena_that_lives(group: Cgroup) -> None:
    assert Path(group.place.distinct[0]).name not in sweep_groups()
    assert all(map(os.path.isdir, group.place.distinct))


@pytest.mark.host_fault("control-groups-left-by-a-dead-arena")
def test_what_a_dead_arena_left_is_swept_with_everybody_in_it_asleep_or_not(holder: GroupHolder) -> None:
    program = (
        "import os, subprocess, sys\n"
        "from arena.hosting.cgroups.launcher_groups import GroupHolder\n"
        "from arena.hosting.cgroups.hierarchy import GroupLimits\n"
        "group = GroupHolder().make(1, GroupLimits(64 << 20, 10))\n"
        "subprocess.Popen([sys.executable, '-S', '-c', 'while True: pass'], preexec_fn=group.enter, stdout=2)\n"
        "group.freeze()\n"
        "print(group.place.distinct[0], flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    found = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False)
    assert found.returncode == -signal.SIGKILL
    directory = found.stdout.strip()
    name = Path(directory).name
    around = holder.make(2, LIMITS)
    place = GroupPlace(
        around.place.version,
        {role: str(Path(path).with_name(name)) for role, path in around.place.directories.items()},
    )
    around.remove()
    assert len(list_members(place)) == 1
    assert name in sweep_groups()
    assert not any(map(os.path.isdir, place.distinct))


@pytest.mark.host_fault("no-control-group")
def test_a_machine_without_groups_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.cgroups.offer.read_hierarchies", list)
    with pytest.raises(GroupError, match="there is no control group for memory; mount cgroup2"):
        GroupHolder().make(1, LIMITS)


@pytest.mark.parametrize(
    ("events", "kills"), [("low 0\noom 0\noom_kill 2\n", 2), ("oom_kill_disable 0\n", 0), (None, 0)]
)
def test_a_group_tells_how_many_of_its_processes_were_killed_for_want_of_memory(
    monkeypatch: pytest.MonkeyPatch, events: str | None, kills: int
) -> None:
    def read(_where: object) -> str:
        if events is None:
            raise FileNotFoundError
        return events

    group = Cgroup.__new__(Cgroup)
    group.place = cast("Any", SimpleNamespace(cgroup_version=SimpleNamespace(memory_events=None), read=read))
    assert group.count_oom_kills() == kills


class Freezer:
    """Notes what is done with the group."""

    def __init__(self, done: list[object], *, fails: bool = False) -> None:
        self._done, self._fails = done, fails

    def freeze_surely(self) -> None:
        self._done.append("freeze")
        if self._fails:
            raise OSError

    def thaw(self) -> None:
        self._done.append("thaw")


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was done, in order, with a group of two of which one is gone already."""
    noted: list[object] = []

    def kill(pid: int, number: int) -> None:
        noted.append((pid, number))
        if pid == 1001:
            raise ProcessLookupError

    monkeypatch.setattr(group_module, "list_members", lambda _place: [1001, 1002])
    monkeypatch.setattr(os, "kill", kill)
    return noted


def test_they_stand_still_while_they_are_killed_and_may_leave_then(done: list[object]) -> None:
    kill_all(PLACE, cast("Any", Freezer(done)))
    assert done == ["freeze", *KILLED, "thaw"]


def test_they_are_killed_too_if_they_cannot_be_stopped(done: list[object]) -> None:
    kill_all(PLACE, cast("Any", Freezer(done, fails=True)))
    assert done == ["freeze", *KILLED, "thaw"]


def test_a_group_of_somebody_who_died_has_no_freezer_and_is_killed_too(done: list[object]) -> None:
    kill_all(PLACE, None)
    assert done == KILLED


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What stood on the console of a machine in which everything was tried."""
    command = [own_python(), "-m", "tests.support.second_version"]
    console = run_booted(tmp_path_factory.mktemp("booted"), command)
    if why := why_not_booted(console):
        pytest.skip(why)
    return console


def told(console: str, mark: str) -> Any:
    """What was printed behind a mark."""
    found = [line.partition(mark)[2] for line in console.splitlines() if mark in line]
    assert len(found) == 1, console
    return json.loads(found[0])


@pytest.mark.needs("kernel", "sandbox")
@pytest.mark.hostile("fork-storm", "hold-memory-behind-a-dead-thread", "children-nobody-waits-for")
def test_as_root_everything_that_version_1_does_is_done(console: str) -> None:
    assert told(console, "TESTS ") == 0, console
    assert "passed" in console
    assert "SKIPPED" not in console, console
    assert told(console, "LEFT ") == []


@pytest.mark.needs("kernel", "sandbox")
def test_an_ordinary_user_with_a_group_of_his_own_gets_the_level_too(console: str) -> None:
    found = told(console, "GIVEN ")
    assert found["problem"] == ""
    checks = {check["name"]: check for check in found["checks"]}
    assert all(check["holds"] for check in checks.values()), checks
    assert "version 2, /sys/fs/cgroup/given/kingmaker-arena-bot-" in checks["a control group of its own"]["found"]
    assert found["own"].strip() == "0::/given/kingmaker-arena-main"  # a group with groups in it may hold no process
    assert told(console, "BELOW ") == ["kingmaker-arena-main"]


@pytest.mark.needs("kernel", "sandbox")
@pytest.mark.host_fault("no-control-group")
def test_an_ordinary_user_without_one_is_told_what_to_do(console: str) -> None:
    found = told(console, "OTHERS ")
    assert found["problem"] == "the control group /sys/fs/cgroup cannot be written"
    assert found["remedy"].startswith("start it by `systemd-run --user --scope -p Delegate=yes arena ...`")
