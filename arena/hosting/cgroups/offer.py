"""Finds what this machine offers: version 2 where it has the controllers, else version 1, else the reason why not.

In version 2 a group that hands controllers on may hold no process itself. So the arena, where it was given a group of
its own (by systemd with `Delegate=yes`, or as a container's only one), moves itself into a leaf of it, beside which
bots' groups come to lie. Root, in a group that is somebody else's, makes one at the top.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from arena.hosting.cgroups.hierarchy import (
    PROCS,
    ROLES,
    UNIFIED,
    GroupError,
    GroupPlace,
    Hierarchy,
    own_directory,
    read_hierarchies,
    read_membership,
    read_text,
)
from engine.translatable import Text, joined

_MOUNT = Text("mount cgroup2 at /sys/fs/cgroup, or take a machine with systemd")
_ROOT = Text("run the arena as root, or on a machine with cgroup v2 under systemd, where users may be given groups")
LEAF = "kingmaker-arena-main"
"""The group of the arena's own processes."""
TOP = "kingmaker-arena"
"""The group of all bots where the arena has none of its own to make them in."""
CONTROLLERS = ("cpu", "memory", "pids")
_LEAF_WEIGHT = b"1000"  # ten times a bot's: a referee that waits behind bots would be late
_MARKS = ("user.delegate", "trusted.delegate")
_ROUNDS = 20
GIVE = Text(
    "start it by `systemd-run --user --scope -p Delegate=yes arena ...`, as a service with Delegate=yes, or "
    "as root; in a container, with control groups that may be written"
)


def find_offer() -> GroupPlace:
    """Return where bots' groups may be made; nothing is changed. Raises GroupError with the remedy."""
    hierarchies, membership = read_hierarchies(), read_membership()
    unified = _find(hierarchies, UNIFIED)
    if unified is not None and _has_controllers(unified):
        own = own_directory(unified, membership)
        if own is None:
            why = Text("the arena's own control group is not shown here")
            raise GroupError(joined(why, _MOUNT))
        parent = find_parent(unified.point, own, membership[UNIFIED])
        return GroupPlace(2, dict.fromkeys(ROLES, parent))
    directories = {}
    for role in ROLES:
        hierarchy = _find(hierarchies, role)
        own = own_directory(hierarchy, membership) if hierarchy is not None else None
        if own is None:
            raise GroupError(joined(Text("there is no control group for {name}", name=role), _MOUNT))
        if not os.access(own, os.W_OK):
            why = Text("the control group {path} cannot be written", path=own)
            raise GroupError(joined(why, _ROOT))
        directories[role] = own
    return GroupPlace(1, directories)


def take_offer() -> GroupPlace:
    """Return where bots' groups may be made, and make it ready for them. Raises GroupError with the remedy."""
    place = find_offer()
    if place.version == 2:
        unified = _find(read_hierarchies(), UNIFIED)
        own = own_directory(unified, read_membership()) if unified is not None else None
        assert own is not None  # it was found just now
        prepare(place.distinct[0], own)
    return place


def _find(hierarchies: Sequence[Hierarchy], controller: str) -> Hierarchy | None:
    return next((one for one in hierarchies if controller in one.controllers), None)


def _has_controllers(unified: Hierarchy) -> bool:
    """Return whether this tree has the controllers; version 1 may hold them."""
    try:
        offered = read_text(f"{unified.point}/cgroup.controllers").split()
    except OSError:
        return False
    return set(CONTROLLERS) <= set(offered)


def find_parent(point: str, own: str, namespace_root: str) -> str:
    """Return the directory for bots' groups; nothing is changed. Raises GroupError.

    `point` is where the tree is mounted, `own` the directory of this process's group, and `namespace_root` what
    /proc calls that group: `/` if it is all that this container sees.
    """
    above = os.path.dirname(own)  # noqa: PTH120 - pathlib would double the start-up of the launcher
    if os.path.basename(own) == LEAF or _is_delegated(above):  # noqa: PTH119 - as above
        parent = above
    elif _is_top(own):
        parent = f"{own}/{TOP}"
    elif _is_delegated(own) or namespace_root == "/":
        parent = own
    elif os.geteuid() == 0 and _is_top(point):
        parent = f"{point}/{TOP}"
    else:
        why = Text("the control group {path} was not given to the arena", path=own)
        raise GroupError(joined(why, GIVE))
    nearest = parent if os.path.isdir(parent) else os.path.dirname(parent)  # noqa: PTH112, PTH120 - as above
    if not os.access(nearest, os.W_OK) or not os.access(f"{nearest}/{PROCS}", os.W_OK):
        why = Text("the control group {path} cannot be written", path=nearest)
        raise GroupError(joined(why, GIVE))
    _check_controllers(nearest)
    return parent


def prepare(parent: str, own: str) -> None:
    """Switch the controllers on for groups below `parent`, and leave it if we are in it. Raises GroupError."""
    try:
        if parent == own:
            _move_everybody(own, f"{own}/{LEAF}")
        elif os.path.basename(parent) == TOP:  # noqa: PTH119 - as above
            _enable(os.path.dirname(parent))  # noqa: PTH120 - as above
            os.makedirs(parent, exist_ok=True)  # noqa: PTH103 - as above
        _enable(parent)
        with suppress(OSError):
            _write(f"{parent}/{LEAF}/cpu.weight", _LEAF_WEIGHT)
    except GroupError:
        raise
    except OSError as error:
        why = Text("the control group {path} cannot be divided", path=parent)
        raise GroupError(joined(why, GIVE)) from error


def _enable(directory: str) -> None:
    """Have the controllers handed on to the groups in a directory. Raises OSError."""
    _check_controllers(directory)
    wanted = [name for name in CONTROLLERS if name not in read_text(f"{directory}/cgroup.subtree_control").split()]
    if wanted:
        _write(f"{directory}/cgroup.subtree_control", " ".join(f"+{name}" for name in wanted).encode())


def _check_controllers(directory: str) -> None:
    offered = read_text(f"{directory}/cgroup.controllers").split()
    missing = [name for name in CONTROLLERS if name not in offered]
    if missing:
        why = Text("the control group {path} has no controller {names}", path=directory, names=", ".join(missing))
        remedy = Text("where systemd keeps it back from users, set Delegate=cpu memory pids in user@.service")
        raise GroupError(joined(why, remedy))


def _move_everybody(source: str, target: str) -> None:
    """Move all processes of a group into another, those that start meanwhile included. Raises OSError."""
    os.makedirs(target, exist_ok=True)  # noqa: PTH103 - as above
    for _ in range(_ROUNDS):
        members = read_text(f"{source}/{PROCS}").split()
        if not members:
            return
        for pid in members:
            with suppress(ProcessLookupError):
                _write(f"{target}/{PROCS}", pid.encode())


def _is_top(directory: str) -> bool:
    """Return whether it is the group of the whole machine, which alone has no type."""
    return os.path.exists(f"{directory}/{PROCS}") and not os.path.exists(f"{directory}/cgroup.type")  # noqa: PTH110


def _is_delegated(directory: str) -> bool:
    """Return whether this group was given away: systemd marks it, and before version 251 it only changes its owner."""
    for mark in _MARKS:
        with suppress(OSError):
            return os.getxattr(directory, mark) == b"1"
    with suppress(OSError):
        return _owner_of(directory) == os.geteuid() != _owner_of(os.path.dirname(directory))  # noqa: PTH120 - as above
    return False


def _owner_of(directory: str) -> int:
    return os.stat(directory).st_uid  # noqa: PTH116 - as above


def _write(path: str, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, data)
    finally:
        os.close(file)
