"""The processor time of the processes of a run, by what they are for."""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress

from arena.hosting.procfs.processes import (
    CHILDREN_SYSTEM,
    CHILDREN_USER,
    list_children,
    list_descendants,
    parse_stat,
    read_file,
)

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Role(enum.StrEnum):
    """What a process of a run is for."""

    COORDINATOR = "coordinator"
    WORKER = "worker"
    LAUNCHER = "launcher"
    BOT = "bot"


def cpu_by_role(coordinator: int) -> Mapping[Role, float]:
    """Return the processor time of all processes of a run so far, in seconds; ended bots are counted, too.

    The coordinator's children are workers, theirs launchers, and what these start are bots. Their clocks are exact;
    what has ended is known in ticks of the kernel, of a hundredth of a second, by the launcher that waited for it.
    """
    workers = list_children(coordinator)
    launchers = [launcher for worker in workers for launcher in list_children(worker)]
    bots = [bot for launcher in launchers for bot in list_descendants(launcher)[1:]]
    return {
        Role.COORDINATOR: _ran_s([coordinator]),
        Role.WORKER: _ran_s(workers),
        Role.LAUNCHER: _ran_s(launchers),
        Role.BOT: _ran_s(bots) + _ended_s([*launchers, *bots]),
    }


def _ran_s(pids: Iterable[int]) -> float:
    total = 0.0
    for pid in pids:
        with suppress(OSError):  # it has just ended
            total += time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3)
    return total


def _ended_s(pids: Iterable[int]) -> float:
    """Return what the children used that these processes have waited for."""
    ticks = 0
    for pid in pids:
        with suppress(OSError):
            fields = parse_stat(read_file(f"/proc/{pid}/stat"))
            ticks += int(fields[CHILDREN_USER]) + int(fields[CHILDREN_SYSTEM])
    return ticks * _TICK_S
