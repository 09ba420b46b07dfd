"""What the files of control groups are called in version 1 and version 2. Values alone.

See Documentation/admin-guide/cgroup-v1/ and cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MEMORY, PIDS, CPU, CPUACCT, FREEZER = "memory", "pids", "cpu", "cpuacct", "freezer"
ROLES = (MEMORY, PIDS, CPU, CPUACCT, FREEZER)
"""The controllers of version 1, one hierarchy each; in version 2 all of them are one directory."""
PROCS = "cgroup.procs"


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
PIDS_EVENTS = (PIDS, "pids.events")
PIDS_PEAK = (PIDS, "pids.peak")


def parse_flat(text: str) -> dict[str, int]:
    """Return a file of lines `key number`; a file that is one number has the key ``."""
    found = {}
    for line in text.splitlines():
        key, _, number = line.rpartition(" ")
        found[key] = int(number)
    return found
