"""In which order a group is killed where the kernel has no way for all at once."""

import os
import signal
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.hosting.cgroups import cgroup as group_module
from arena.hosting.cgroups.cgroup import kill_all


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


PLACE = cast("Any", SimpleNamespace(cgroup_version=SimpleNamespace(kill=None)))
KILLED = [(1001, signal.SIGKILL), (1002, signal.SIGKILL)]


def test_they_stand_still_while_they_are_killed_and_may_leave_then(done: list[object]) -> None:
    kill_all(PLACE, cast("Any", Freezer(done)))
    assert done == ["freeze", *KILLED, "thaw"]


def test_they_are_killed_too_if_they_cannot_be_stopped(done: list[object]) -> None:
    kill_all(PLACE, cast("Any", Freezer(done, fails=True)))
    assert done == ["freeze", *KILLED, "thaw"]


def test_a_group_of_somebody_who_died_has_no_freezer_and_is_killed_too(done: list[object]) -> None:
    kill_all(PLACE, None)
    assert done == KILLED
