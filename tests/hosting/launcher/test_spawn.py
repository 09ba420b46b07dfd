"""A process is in its group from the first, and one that cannot be started leaves nothing behind."""

import os
from pathlib import Path
from typing import Any, cast

import pytest

from arena.hosting.cgroups.hierarchy import GroupLimits
from arena.hosting.launcher.request import Confinement, StartRequest
from arena.hosting.launcher.spawn import spawn

LIMITS = GroupLimits(64 << 20, 10)


class Group:
    """A group that notes who enters it, also in another process."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.done: list[str] = []

    def make(self, _key: int, limits: GroupLimits) -> "Group":
        assert limits == LIMITS
        return self

    def enter(self) -> None:
        self._file.write_text(f"{os.getpid()}", encoding="ascii")

    def close_entrances(self) -> None:
        self.done.append("closed")

    def remove(self) -> None:
        self.done.append("removed")


def request(scratch: Path, *argv: str) -> StartRequest:
    return StartRequest(argv, "/", {}, str(scratch), confinement=Confinement({}, "", group=LIMITS))


def test_a_process_enters_its_group_before_its_program_runs(tmp_path: Path) -> None:
    group = Group(tmp_path / "entered")
    bot = spawn(
        1, request(tmp_path / "scratch" / "1", "/bin/cat", str(tmp_path / "entered")), os.getpid(), cast("Any", group)
    )
    said = bot.process.communicate()[0]
    assert int(said) == bot.pid
    assert group.done == ["closed"]
    assert (tmp_path / "scratch" / "1").is_dir()


def test_a_process_that_cannot_be_started_leaves_no_group_and_no_directory(tmp_path: Path) -> None:
    group = Group(tmp_path / "entered")
    with pytest.raises(FileNotFoundError):
        spawn(1, request(tmp_path / "scratch" / "1", "/no/such/program"), os.getpid(), cast("Any", group))
    assert group.done == ["removed"]
    assert list((tmp_path / "scratch").iterdir()) == []
