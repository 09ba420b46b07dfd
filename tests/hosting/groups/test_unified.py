"""Where bots' groups go in version 2, by who we are and what we were given. With directories that look like groups."""

import os
from pathlib import Path

import pytest

from arena.hosting.groups import unified
from arena.hosting.groups.errors import GroupError
from arena.hosting.groups.unified import LEAF, TOP, find_parent


def make_group(path: Path, *, is_top: bool = False, controllers: str = "cpu memory pids io") -> Path:
    path.mkdir()
    (path / "cgroup.procs").touch()
    (path / "cgroup.controllers").write_text(controllers, encoding="ascii")
    if not is_top:
        (path / "cgroup.type").write_text("domain", encoding="ascii")
    return path


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The group of the whole machine."""
    return make_group(tmp_path / "cgroup", is_top=True)


def parent_of(top: Path, own: Path, root: str = "/somewhere") -> Path:
    return Path(find_parent(str(top), str(own), root))


def test_root_of_a_machine_without_systemd_gets_a_group_at_the_top(top: Path) -> None:
    assert parent_of(top, top, "/") == top / TOP


def test_root_in_a_group_of_somebody_elses_gets_one_at_the_top(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make_group(top / "session-3.scope")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert parent_of(top, session) == top / TOP


def test_the_group_that_a_container_was_given_is_divided(tmp_path: Path) -> None:
    whole = make_group(tmp_path / "cgroup")
    assert parent_of(whole, whole, "/") == whole


def test_whoever_is_in_the_leaf_already_finds_the_group_around_it(top: Path) -> None:
    service = make_group(top / "arena.service")
    assert parent_of(top, make_group(service / LEAF)) == service


def test_an_ordinary_user_in_a_group_of_somebody_elses_is_told_what_to_do(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make_group(top / "session-3.scope")
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(GroupError, match=r"session-3\.scope was not given to the arena; start it by `systemd-run"):
        parent_of(top, session)


def test_before_systemd_marked_what_it_gave_away_the_owner_tells(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_group(top / "arena.service")
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    monkeypatch.setattr(unified, "_owner_of", lambda path: 4711 if path == str(service) else 0)
    assert parent_of(top, service) == service


def test_a_controller_that_was_kept_back_is_named(tmp_path: Path) -> None:
    whole = make_group(tmp_path / "cgroup", controllers="memory pids")
    with pytest.raises(GroupError, match=r"has no controller cpu; where systemd keeps it back from users, set"):
        parent_of(whole, whole, "/")
