"""Sends signals to a bot with its whole group, and to processes that are not our children."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import replace

from arena.hosting.cgroups.cgroup import Cgroup
from arena.hosting.launcher.launched_bot import LaunchedBot
from arena.hosting.procfs.processes import Relations, list_children, read_relations


def signal_bot(bot: LaunchedBot, number: int) -> None:
    """Signal a bot's process group. Its leader is not reaped yet, so its number cannot belong to another group.

    Where it has a control group all of that is killed, and one that is frozen is thawed, since it would not end.
    """
    if bot.group is not None:
        _signal_group(bot.group, number)
    if bot.is_wrapped and number != signal.SIGKILL and not bot.has_exited:
        _signal_inside(bot, number)
        return
    try:
        os.killpg(bot.pid, number)
    except ProcessLookupError:
        pass
    except PermissionError:
        # macOS refuses to signal a group in which one member is a zombie.
        if bot.process.returncode is None:
            os.kill(bot.pid, number)


def _signal_group(group: Cgroup, number: int) -> None:
    if number == signal.SIGKILL:
        group.kill()
        return
    with suppress(OSError):  # it is gone
        group.thaw()


def _signal_inside(bot: LaunchedBot, number: int) -> None:
    """Signal the bot inside a sandbox. The sandbox itself would die at once and take the bot along."""
    for init in list_children(bot.pid):
        for pid in list_children(init):
            relations = read_relations(pid)
            if relations is not None and relations.parent == init:
                signal_exactly(pid, relations, number)


def signal_exactly(pid: int, relations: Relations, number: int = signal.SIGKILL) -> None:
    """Signal a process that is not our child, unless its id belongs to another process by now."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        now = read_relations(pid)
        if now is not None and replace(now, is_zombie=relations.is_zombie) == relations:
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        pass
    finally:
        os.close(handle)
