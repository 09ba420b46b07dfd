"""Reads how much of a processor a process is given beside others, where the kernel groups them by session.

A process may lower the weight of its own session (`/proc/PID/autogroup`): then it waits on a busy core for what it gave
away itself.
"""

from __future__ import annotations

from arena.hosting.procfs.processes import read_file


def autogroup_nice(pid: int) -> int:
    """Return the nice value of the group of a process's session; 0 if there is none, or the process has ended."""
    try:
        words = read_file(f"/proc/{pid}/autogroup").split()  # /autogroup-4711 nice 5
        return int(words[-1]) if words else 0
    except (OSError, ValueError):
        return 0
