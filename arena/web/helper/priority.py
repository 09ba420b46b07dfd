"""How far the processes that help the pages give way to them.

They and the pages stand in one session: the scheduler of Linux may share the processor out among sessions first
(autogroups, sched(7)), and what is nice in a session of its own gives way to nobody outside it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

SOON: Final = 10
"""The niceness of what somebody waits for."""
IDLE: Final = 20
"""That of what takes many seconds and nobody waits for: it runs when nothing else of its session wants to.

No process can be that nice; the scheduler has a class of its own for it, `SCHED_IDLE`.
"""
_LEAST_SHARE: Final = 0.05


def give_way(niceness: int) -> None:
    """Give way to others so far, for the rest of this process."""
    if niceness >= IDLE:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(niceness)


def was_starved(pid: int, has_ended: Callable[[float], bool], patience_s: float) -> bool:
    """Return, as soon as it is clear, whether a process was not let run before it had done what it does.

    `has_ended` waits for that, so many seconds at most, and tells whether it has. A process is starved that got less
    than a twentieth of the processor in `patience_s`: where bots take all of a machine, and share the group of the
    pages, what gives way to all would never be done.
    """
    used = _used_s(pid)
    while not has_ended(patience_s):
        before, used = used, _used_s(pid)
        if used - before < _LEAST_SHARE * patience_s:
            return True
    return False


def _used_s(pid: int) -> float:
    """Return the processor time of a process so far; of one that has ended, so much that it did not starve."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3) of the whole process
    return float("inf")
