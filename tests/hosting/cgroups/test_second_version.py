"""Version 2 of control groups, tried in a kernel that this test boots, whatever this machine has: one boot for all."""

import json
from typing import Any

import pytest

from tests.support.machines import own_python, run_booted, why_not_booted

pytestmark = pytest.mark.needs("kernel", "sandbox")


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


@pytest.mark.hostile("fork-storm", "hold-memory-behind-a-dead-thread", "children-nobody-waits-for")
def test_as_root_everything_that_version_1_does_is_done(console: str) -> None:
    assert told(console, "TESTS ") == 0, console
    assert "passed" in console
    assert "SKIPPED" not in console, console
    assert told(console, "LEFT ") == []


def test_an_ordinary_user_with_a_group_of_his_own_gets_the_level_too(console: str) -> None:
    found = told(console, "GIVEN ")
    assert found["problem"] == ""
    checks = {check["name"]: check for check in found["checks"]}
    assert all(check["holds"] for check in checks.values()), checks
    assert "version 2, /sys/fs/cgroup/given/kingmaker-arena-bot-" in checks["a control group of its own"]["found"]
    assert found["own"].strip() == "0::/given/kingmaker-arena-main"  # a group with groups in it may hold no process
    assert told(console, "BELOW ") == ["kingmaker-arena-main"]


@pytest.mark.host_fault("no-control-group")
def test_an_ordinary_user_without_one_is_told_what_to_do(console: str) -> None:
    found = told(console, "OTHERS ")
    assert found["problem"] == "the control group /sys/fs/cgroup cannot be written"
    assert found["remedy"].startswith("start it by `systemd-run --user --scope -p Delegate=yes arena ...`")
