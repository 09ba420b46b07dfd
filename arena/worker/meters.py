"""Chooses what measures the process of a bot."""

from __future__ import annotations

from contextlib import suppress

from arena.hosting.launcher.client import HostedProcess
from arena.hosting.procfs.meter import GroupMeter, TreeMeter


def make_meter(process: HostedProcess) -> TreeMeter | GroupMeter:
    """Return a meter for a process: its control group's, if it has one that still is there."""
    if process.group is not None:
        with suppress(OSError):
            return GroupMeter(process.pid, process.group)
    return TreeMeter(process.pid)
