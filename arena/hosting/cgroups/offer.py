"""Finds what this machine offers: version 2 where it has the controllers, else version 1, else the reason why not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from arena.hosting.cgroups.errors import GroupError
from arena.hosting.cgroups.hierarchies import (
    UNIFIED,
    Hierarchy,
    own_directory,
    read_hierarchies,
    read_membership,
    read_text,
)
from arena.hosting.cgroups.place import GroupPlace
from arena.hosting.cgroups.unified import CONTROLLERS, find_parent, prepare
from arena.hosting.cgroups.version import ROLES
from engine.text import Text, joined

_MOUNT = Text("hosting.mount_cgroup2_sys_fs_cgroup", "mount cgroup2 at /sys/fs/cgroup, or take a machine with systemd")
_ROOT = Text(
    "hosting.run_arena_root_machine_cgroup",
    "run the arena as root, or on a machine with cgroup v2 under systemd, where users may be given groups",
)


def find_offer() -> GroupPlace:
    """Return where bots' groups may be made; nothing is changed. Raises GroupError with the remedy."""
    hierarchies, membership = read_hierarchies(), read_membership()
    unified = _find(hierarchies, UNIFIED)
    if unified is not None and _has_controllers(unified):
        own = own_directory(unified, membership)
        if own is None:
            raise GroupError(
                joined(
                    Text("hosting.arena_own_control_group_not", "the arena's own control group is not shown here"),
                    _MOUNT,
                )
            )
        parent = find_parent(unified.point, own, membership[UNIFIED])
        return GroupPlace(2, dict.fromkeys(ROLES, parent))
    return _first_version(hierarchies, membership)


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


def _first_version(hierarchies: Sequence[Hierarchy], membership: Mapping[str, str]) -> GroupPlace:
    directories = {}
    for role in ROLES:
        hierarchy = _find(hierarchies, role)
        own = own_directory(hierarchy, membership) if hierarchy is not None else None
        if own is None:
            raise GroupError(
                joined(Text("hosting.no_control_group", "there is no control group for {name}", name=role), _MOUNT)
            )
        if not os.access(own, os.W_OK):
            raise GroupError(
                joined(
                    Text(
                        "hosting.control_group_cannot_written", "the control group {path} cannot be written", path=own
                    ),
                    _ROOT,
                )
            )
        directories[role] = own
    return GroupPlace(1, directories)
