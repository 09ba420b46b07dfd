"""Finds processes that bots left behind, which became children of the launcher, and ends those of dead bots."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from arena.hosting.launcher.launched_bot import LaunchedBot
from arena.hosting.launcher.signalling import signal_exactly
from arena.hosting.procfs.processes import Relations, list_children, list_processes, read_environment, read_relations


def find_orphans(bots: Iterable[LaunchedBot], launcher: int) -> dict[int, list[int]]:
    """Return the orphans of living bots by the bot's process id, recognised by their session or their token."""
    owners = {bot.pid: bot for bot in bots}
    tokens = {bot.token: bot.pid for bot in owners.values()}
    found: dict[int, list[int]] = {pid: [] for pid in owners}
    for pid in list_children(launcher):
        relations = read_relations(pid) if pid not in owners else None
        if relations is None:
            continue
        owner = relations.session if relations.session in owners else _owner_by_token(pid, tokens)
        if owner is not None:
            found[owner].append(pid)
    return found


def _owner_by_token(pid: int, tokens: dict[bytes, int]) -> int | None:
    return next((tokens[entry] for entry in read_environment(pid) if entry in tokens), None)


def clear_up(bots: Collection[LaunchedBot], dead: Collection[LaunchedBot], own: set[int]) -> set[int]:
    """Reap orphans that have ended, and kill those of dead bots; return the ids of the dead bots that still had any.

    `own` are the processes of the launcher itself, which are left alone.
    """
    launcher = os.getpid()
    leaders = {bot.pid for bot in dead}
    ours = {*own, *(bot.pid for bot in bots)}
    living_tokens = {bot.token for bot in bots if not bot.has_exited}
    busy: set[int] = set()
    for pid in list_processes():
        process = read_relations(pid) if pid not in ours else None
        if process is None:
            continue
        is_ours = process.parent == launcher
        related = {process.group, process.session} & leaders
        if is_ours and process.is_zombie:
            os.waitpid(pid, os.WNOHANG)
        elif related or (leaders and is_ours and not _belongs_to_living(pid, process, ours - leaders, living_tokens)):
            busy |= related or leaders
            signal_exactly(pid, process)
    return busy


def _belongs_to_living(pid: int, process: Relations, living: set[int], tokens: set[bytes]) -> bool:
    """Return whether an orphan is in the session of a living bot, or has a living bot's token."""
    return process.session in living or bool(tokens & read_environment(pid))
