"""Reads facts about this machine: its memory, its processor cores and their time, and the id of its boot."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MEGABYTE = 1024 * 1024
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
_CGROUP_USED, _CGROUP_PARTS = Path("/sys/fs/cgroup/memory.current"), Path("/sys/fs/cgroup/memory.stat")
_MEMORY = Path("/proc/meminfo")
_TIMES = Path("/proc/stat")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def machine_bytes() -> int:
    """Return the memory of this machine, or of the container we run in."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        return min(physical, int(_CGROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or `max`
        return physical


def free_bytes() -> int:
    """Return how much memory of this machine, or of the container we run in, nobody uses; all of it if none tells."""
    free = machine_bytes()
    with suppress(OSError, KeyError, ValueError):
        facts = _read_facts(_MEMORY)  # in kilobytes
        free = min(free, (facts["MemAvailable:"] + facts["SwapFree:"]) * 1024)
    with suppress(OSError, KeyError, ValueError):
        facts = _read_facts(_CGROUP_PARTS)
        used = int(_CGROUP_USED.read_text(encoding="ascii")) - facts["active_file"] - facts["inactive_file"]
        free = min(free, int(_CGROUP_LIMIT.read_text(encoding="ascii")) - used)
    return free


def _read_facts(path: Path) -> dict[str, int]:
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) > 1}


def count_cores() -> int:
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor_ticks() -> tuple[int, int]:
    """Return the time of all cores since the start of this machine, and what other virtual machines had of it.

    Both are 0 where the kernel does not tell. The unit is the clock tick.
    """
    with suppress(OSError, ValueError):
        times = [int(word) for word in _TIMES.read_text(encoding="ascii").partition("\n")[0].split()[1:9]]
        return sum(times), sum(times[7:])
    return 0, 0


def read_boot_id() -> str:
    """Return an id that is new after every start of this machine. Raises OSError where there is none."""
    return _BOOT_ID.read_text(encoding="ascii")
