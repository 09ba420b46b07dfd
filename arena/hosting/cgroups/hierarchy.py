"""The control groups of this machine: where they are mounted, what their files are called, and where one group lies.

It reads /proc and changes nothing. The launcher imports this, so it loads nothing slow. The names of the files are
those of Documentation/admin-guide/cgroup-v1/ and cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

UNIFIED = ""
"""The name under which /proc knows version 2, which has one tree for all controllers."""
PROCS = "cgroup.procs"
MEMORY, PIDS, CPU, CPUACCT, FREEZER = "memory", "pids", "cpu", "cpuacct", "freezer"
ROLES = (MEMORY, PIDS, CPU, CPUACCT, FREEZER)
"""The controllers of version 1, one hierarchy each; in version 2 all of them are one directory."""
PIDS_EVENTS = (PIDS, "pids.events")
PIDS_PEAK = (PIDS, "pids.peak")


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """The directories of one group, by role; in version 2 all of them are the same."""

    version: int
    directories: Mapping[str, str]

    @property
    def cgroup_version(self) -> CgroupVersion:
        """The names of its files."""
        return CGROUP_VERSIONS[self.version]

    @property
    def distinct(self) -> list[str]:
        """Each of its directories once, the one of the memory first."""
        return list(dict.fromkeys(self.directories.values()))

    def path(self, where: tuple[str, str]) -> str:
        """Return the path of a file, given by role and name."""
        role, name = where
        return os.path.join(self.directories[role], name)  # noqa: PTH118 - pathlib would double the launcher's start-up

    def read(self, where: tuple[str, str]) -> str:
        """Return the content of a file, given by role and name. Raises OSError."""
        return read_text(self.path(where))

    def below(self, name: str) -> GroupPlace:
        """Return the place of the group of that name in this one."""
        inside = {role: os.path.join(path, name) for role, path in self.directories.items()}  # noqa: PTH118 - as above
        return GroupPlace(self.version, inside)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data; `from_json` is the inverse."""
        return {"version": self.version, "directories": dict(self.directories)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GroupPlace:
        """Return the place that `to_json` wrote."""
        return cls(data["version"], data["directories"])


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """The limits of one bot's group, its sandbox included."""

    memory_bytes: int
    """Everything: pages of processes, shared and cached ones, files in memory, and what the kernel keeps for them."""
    processes: int
    """Processes and threads together."""


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


@dataclass(frozen=True, slots=True)
class CgroupSetting:
    """A file that is written once when a group is made."""

    role: str
    file: str
    text: str
    """May hold `{memory_bytes}` and `{processes}`."""
    is_needed: bool = True
    """Whether a group without that file is no good; a kernel without swap has none for it."""


@dataclass(frozen=True, slots=True)
class CgroupVersion:
    """One version of control groups."""

    version: int
    settings: Sequence[CgroupSetting]
    weight: tuple[str, str]
    """Role and file of the weight, one of the settings."""
    freezer: tuple[str, str]
    frozen: bytes
    thawed: bytes
    cpu: tuple[str, str]
    """Role and file of the processor time used."""
    memory_events: tuple[str, str]
    memory_peak: tuple[str, str]
    kill: tuple[str, str] | None
    """Role and file that kills all of the group at once; None where there is none."""


V1 = CgroupVersion(
    version=1,
    settings=(
        CgroupSetting(MEMORY, "memory.limit_in_bytes", "{memory_bytes}"),
        CgroupSetting(MEMORY, "memory.memsw.limit_in_bytes", "{memory_bytes}", is_needed=False),
        CgroupSetting(PIDS, "pids.max", "{processes}"),
        CgroupSetting(CPU, "cpu.shares", "1024"),
    ),
    weight=(CPU, "cpu.shares"),
    freezer=(FREEZER, "freezer.state"),
    frozen=b"FROZEN",
    thawed=b"THAWED",
    cpu=(CPUACCT, "cpuacct.usage"),
    memory_events=(MEMORY, "memory.oom_control"),
    memory_peak=(MEMORY, "memory.max_usage_in_bytes"),
    kill=None,
)
V2 = CgroupVersion(
    version=2,
    settings=(
        CgroupSetting(MEMORY, "memory.max", "{memory_bytes}"),
        CgroupSetting(MEMORY, "memory.swap.max", "0", is_needed=False),
        CgroupSetting(MEMORY, "memory.oom.group", "1", is_needed=False),
        CgroupSetting(PIDS, "pids.max", "{processes}"),
        CgroupSetting(CPU, "cpu.weight", "100"),
    ),
    weight=(CPU, "cpu.weight"),
    freezer=(FREEZER, "cgroup.freeze"),
    frozen=b"1",
    thawed=b"0",
    cpu=(CPUACCT, "cpu.stat"),
    memory_events=(MEMORY, "memory.events"),
    memory_peak=(MEMORY, "memory.peak"),
    kill=(FREEZER, "cgroup.kill"),
)
CGROUP_VERSIONS: Mapping[int, CgroupVersion] = {1: V1, 2: V2}


def parse_flat(text: str) -> dict[str, int]:
    """Return a file of lines `key number`; a file that is one number has the key ``."""
    found = {}
    for line in text.splitlines():
        key, _, number = line.rpartition(" ")
        found[key] = int(number)
    return found


class GroupError(OSError):
    """No group can be made here, or one could not be set up, which is never a bot's fault.

    The message names what is missing and, behind a semicolon, the remedy.
    """
