"""Finds where the control groups of this machine are mounted, and in which of them a process is. Reads /proc alone.

The launcher imports this, so it loads nothing slow.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

UNIFIED = ""
"""The name under which /proc knows version 2, which has one tree for all controllers."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A mounted tree of groups."""

    point: str
    """Where it is mounted."""
    root: str
    """Which of its directories is mounted there; a container may see a part alone."""
    controllers: Sequence[str]
    """Its controllers in version 1; for version 2 only `UNIFIED`."""


def parse_mounts(text: str) -> list[Hierarchy]:
    """Return the hierarchies that /proc/self/mountinfo lists, see proc_pid_mountinfo(5)."""
    found = []
    for line in text.splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        root, point = fields.split()[3:5]
        if kind == "cgroup2":
            found.append(Hierarchy(_plain(point), _plain(root), (UNIFIED,)))
        elif kind == "cgroup":
            found.append(Hierarchy(_plain(point), _plain(root), tuple(options.split(","))))
    return found


def parse_membership(text: str) -> dict[str, str]:
    """Return the group of a process by controller, from its file `cgroup`, see cgroups(7)."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        found |= dict.fromkeys(controllers.split(","), path)
    return found


def own_directory(hierarchy: Hierarchy, membership: Mapping[str, str]) -> str | None:
    """Return the directory of the group in which a process is, or None if it lies outside what is mounted."""
    path = next((membership[name] for name in hierarchy.controllers if name in membership), None)
    if path is None:
        return None
    if path == hierarchy.root:
        return hierarchy.point
    inside = path.removeprefix(hierarchy.root.rstrip("/") + "/")
    if inside == path or ".." in path.split("/"):
        return None
    return os.path.join(hierarchy.point, inside)  # noqa: PTH118 - pathlib would double the start-up of the launcher


def read_hierarchies() -> list[Hierarchy]:
    """Return the hierarchies of this machine; none where there are no control groups."""
    try:
        return parse_mounts(read_text("/proc/self/mountinfo"))
    except (OSError, ValueError):
        return []


def read_membership() -> dict[str, str]:
    """Return the groups of this process by controller; none where there are no control groups."""
    try:
        return parse_membership(read_text("/proc/self/cgroup"))
    except (OSError, ValueError):
        return {}


def read_text(path: str) -> str:
    """Return the content of a small file. Raises OSError."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as above
        return file.read()


def _plain(path: str) -> str:
    r"""Return a path of mountinfo, in which blanks and the like are written as \040."""
    return path.encode().decode("unicode_escape").encode("latin-1").decode("utf-8") if "\\" in path else path
