"""Where control groups are mounted, and where groups of bots may be made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.hosting.cgroups import offer
from arena.hosting.cgroups.hierarchy import GroupError, Hierarchy, own_directory, parse_membership, parse_mounts
from arena.hosting.cgroups.offer import LEAF, TOP, find_parent, prepare

SYSTEMD = "26 25 0:23 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot"
FIRST_VERSION = """\
30 24 0:26 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
34 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct
35 30 0:31 /docker/c0ffee /sys/fs/cgroup/mem\\040ory rw,nosuid - cgroup cgroup rw,memory
36 30 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"""


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
    monkeypatch.setattr(offer, "_owner_of", lambda path: 4711 if path == str(service) else 0)
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
        monkeypatch.setattr(offer, "_enable", self.enabled.append)
        monkeypatch.setattr(offer, "_move_everybody", lambda *way: self.moved.append(way))


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


def test_the_one_tree_of_version_2_is_found_with_our_place_in_it() -> None:
    (tree,) = parse_mounts(SYSTEMD)
    ours = parse_membership("0::/user.slice/user-1000.slice/run-r1.scope")
    assert own_directory(tree, ours) == "/sys/fs/cgroup/user.slice/user-1000.slice/run-r1.scope"


def test_the_trees_of_version_1_have_controllers_and_may_be_shown_in_part() -> None:
    both, memory, unified = parse_mounts(FIRST_VERSION)
    ours = parse_membership("4:cpu,cpuacct:/a\n3:memory:/docker/c0ffee/b\n0::/")
    assert own_directory(both, ours) == "/sys/fs/cgroup/cpu,cpuacct/a"
    assert {"cpu", "cpuacct"} <= set(both.controllers)
    assert own_directory(memory, ours) == "/sys/fs/cgroup/mem ory/b"
    assert own_directory(unified, ours) == "/sys/fs/cgroup/unified"


def test_a_group_outside_what_is_shown_has_no_directory() -> None:
    part = Hierarchy("/sys/fs/cgroup", "/docker/c0ffee", ("memory",))
    assert own_directory(part, {"memory": "/docker/c0ffee"}) == "/sys/fs/cgroup"
    for elsewhere in ("/docker/c0ffee2", "/", "/docker/c0ffee/../x"):
        assert own_directory(part, {"memory": elsewhere}) is None
    assert own_directory(part, {"cpu": "/docker/c0ffee"}) is None
