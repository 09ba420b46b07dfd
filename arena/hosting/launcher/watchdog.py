"""Finds out whether a bot and its descendants exceed a limit. It ends nothing."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable
from typing import Any

from arena.hosting.launcher.launched_bot import LaunchedBot
from arena.hosting.launcher.messages import WatchedLimits
from arena.hosting.procfs.processes import list_descendants, list_threads
from arena.hosting.procfs.usage import (
    MOST_WATCHES,
    count_descriptors,
    exact_bytes,
    measure_private_places,
    resident_bytes,
)

LOOK_INTERVAL_S = 0.2
DISK_INTERVAL_S = 1.0
Excess = dict[str, Any]


def look(bot: LaunchedBot, orphans: Iterable[int]) -> Excess | None:
    """Return the first limit that a bot exceeds (`what`, `used`, `limit`), or None.

    The bot must have limits. Its `orphans` count as well.
    """
    assert bot.limits is not None
    pids = list_descendants(bot.pid)
    for orphan in orphans:
        pids += list_descendants(orphan)
    return (
        _look_at_processes(bot.limits, pids)
        or _look_at_descriptors(bot.limits, pids)
        or _look_at_memory(bot, bot.limits, pids)
        or _look_at_objects(bot, bot.limits, pids)
        or _look_at_disk(bot, bot.limits, pids)
    )


def _look_at_processes(limits: WatchedLimits, pids: list[int]) -> Excess | None:
    used = sum(len(list_threads(pid)) for pid in pids)
    return {"what": "processes", "used": used, "limit": limits.processes} if used > limits.processes else None


def _look_at_descriptors(limits: WatchedLimits, pids: list[int]) -> Excess | None:
    limit = limits.descriptors
    if limit is None:
        return None
    used = sum(map(count_descriptors, pids))
    return {"what": "descriptors", "used": used, "limit": limit} if used > limit else None


def _look_at_memory(bot: LaunchedBot, limits: WatchedLimits, pids: list[int]) -> Excess | None:
    """Check the memory: first resident pages, which are cheap and count shared ones repeatedly, then the exact sum.

    What they do not show is added to either.
    """
    limit, hidden = limits.memory_bytes, bot.hidden_memory.measure(pids, bot.own_ids)
    used = sum(map(resident_bytes, pids)) + hidden
    if used > limit:
        used = exact_bytes(pids) + hidden
    bot.peak_bytes = max(bot.peak_bytes, used)
    return {"what": "memory", "used": used, "limit": limit} if used > limit else None


def _look_at_objects(bot: LaunchedBot, limits: WatchedLimits, pids: list[int]) -> Excess | None:
    """Check what the look at its hidden memory has found by the way, if there was one."""
    limit, objects = limits.descriptors, bot.hidden_memory.objects
    if limit is None:
        return None
    if objects.watches > MOST_WATCHES:
        return {"what": "watches", "used": objects.watches, "limit": MOST_WATCHES}
    used = sum(map(count_descriptors, pids)) + objects.on_their_way if objects.on_their_way else 0
    return {"what": "descriptors", "used": used, "limit": limit} if used > limit else None


def _look_at_disk(bot: LaunchedBot, limits: WatchedLimits, pids: list[int]) -> Excess | None:
    places = [bot.writable] if bot.is_wrapped else [bot.scratch, bot.writable]
    used, files = _measure_directories(bot, [place for place in places if place is not None], limits.files)
    if bot.is_wrapped:
        private = measure_private_places(pids)
        used, files = used + private[0], files + private[1]
    if used >= limits.disk_bytes:
        return {"what": "disk", "used": used, "limit": limits.disk_bytes}
    return {"what": "disk", "used": files, "limit": limits.files, "unit": "files"} if files > limits.files else None


def _measure_directories(bot: LaunchedBot, directories: list[str], most_files: int) -> tuple[int, int]:
    """Return bytes and files in directories. This is done less often, since it asks for every file."""
    if not directories or time.monotonic() < bot.next_disk_look:
        return 0, 0
    bot.next_disk_look = time.monotonic() + DISK_INTERVAL_S
    used = files = 0
    while directories and files <= most_files:
        try:
            with os.scandir(directories.pop()) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        directories.append(entry.path)
                    else:
                        used += _size(entry)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:  # files below the longest path cannot be counted
                return used, most_files + 1
    return used, files


def _size(entry: os.DirEntry[str]) -> int:
    """Return the bytes of a file on disk; 0 if it is gone meanwhile."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except FileNotFoundError:
        return 0
