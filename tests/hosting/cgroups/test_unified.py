"""Where bots' groups go in version 2, by who we are and what we were given. With directories that look like groups."""

import os
from pathlib import Path

import pytest

from arena.hosting.cgroups import unified
from arena.hosting.cgroups.errors import GroupError
from arena.hosting.cgroups.unified import LEAF, TOP, find_parent, prepare


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


class Divided:
    """What was done to divide a group."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.enabled: list[str] = []
        self.moved: list[tuple[str, str]] = []
        monkeypatch.setattr(unified, "_enable", self.enabled.append)
        monkeypatch.setattr(unified, "_move_everybody", lambda *way: self.moved.append(way))


def test_a_group_at_the_top_is_made_below_a_top_that_hands_its_controllers_on(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    divided = Divided(monkeypatch)
    prepare(str(top / TOP), str(top / "session-3.scope"))
    assert (top / TOP).is_dir()
    assert (divided.enabled, divided.moved) == ([str(top), str(top / TOP)], [])


def test_whoever_divides_its_own_group_leaves_it_for_a_leaf(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = str(make_group(top / "arena.service"))
    divided = Divided(monkeypatch)
    prepare(service, service)
    assert (divided.enabled, divided.moved) == ([service], [(service, f"{service}/{LEAF}")])


def test_whoever_is_in_the_leaf_already_only_sees_to_the_controllers(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_group(top / "arena.service")
    leaf = make_group(service / LEAF)
    (leaf / "cpu.weight").touch()
    divided = Divided(monkeypatch)
    prepare(str(service), str(leaf))
    assert (divided.enabled, divided.moved) == ([str(service)], [])
    assert (leaf / "cpu.weight").read_text(encoding="ascii") == "1000"
