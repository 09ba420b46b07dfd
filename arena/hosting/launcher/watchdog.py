"""Looks at what a bot with everything it started uses, and says which limit is exceeded. Reads /proc, ends nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable
from typing import Any

from arena.hosting.launcher.bot import Bot
from arena.hosting.proc.processes import (
    list_children,
    list_descendants,
    list_threads,
    read_environment,
    read_relations,
)

LOOK_INTERVAL_S = 0.2
DISK_INTERVAL_S = 1.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
Excess = dict[str, Any]


def look(bot: Bot, orphans: Iterable[int]) -> Excess | None:
    """What a bot uses too much of: `what`, `used` and `limit`; None if all is well. `orphans` are its own, too."""
    pids = list_descendants(bot.pid)
    for orphan in orphans:
        pids += list_descendants(orphan)
    looks = (_look_at_processes, _look_at_descriptors, _look_at_memory, _look_at_disk)
    return next((excess for each in looks if (excess := each(bot, pids))), None)


def find_orphans(bots: Iterable[Bot], launcher: int) -> dict[int, list[int]]:
    """What bots started and left to the launcher, by the bot's process id: by session, or by the token it carries."""
    owners = {bot.pid: bot for bot in bots}
    marks = {bot.mark: bot.pid for bot in owners.values()}
    found: dict[int, list[int]] = {pid: [] for pid in owners}
    for pid in list_children(launcher):
        relations = read_relations(pid) if pid not in owners else None
        if relations is None:
            continue
        owner = relations.session if relations.session in owners else _marked(pid, marks)
        if owner is not None:
            found[owner].append(pid)
    return found


def _marked(pid: int, marks: dict[bytes, int]) -> int | None:
    return next((marks[entry] for entry in read_environment(pid) if entry in marks), None)


def _look_at_processes(bot: Bot, pids: list[int]) -> Excess | None:
    used = sum(len(list_threads(pid)) for pid in pids)
    limit = bot.keep["processes"]
    return {"what": "processes", "used": used, "limit": limit} if used > limit else None


def _look_at_descriptors(bot: Bot, pids: list[int]) -> Excess | None:
    limit = bot.keep.get("descriptors")
    if limit is None:
        return None
    used = sum(map(_descriptors, pids))
    return {"what": "descriptors", "used": used, "limit": limit} if used > limit else None


def _descriptors(pid: int) -> int:
    """How many it has open; 0 if it has ended."""
    directory = f"/proc/{pid}/fd"
    try:
        return os.stat(directory).st_size or len(os.listdir(directory))  # noqa: PTH116, PTH208 - since Linux 6.2 the size
    except OSError:
        return 0


def _look_at_memory(bot: Bot, pids: list[int]) -> Excess | None:
    """Resident pages first, which is cheap and counts shared ones several times; the exact sum only if that is much."""
    limit = bot.keep["memory_bytes"]
    if sum(map(_resident, pids)) <= limit:
        return None
    used = sum(map(_proportional, pids))
    return {"what": "memory", "used": used, "limit": limit} if used > limit else None


def _resident(pid: int) -> int:
    """Bytes; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:  # noqa: PTH123 - pathlib would double the start-up
            return int(file.read().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """Bytes, a page that n processes share as the n-th part; resident ones where a process hides that."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:  # noqa: PTH123 - as above
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _resident(pid)


def _look_at_disk(bot: Bot, pids: list[int]) -> Excess | None:
    used, files = _measure_own_tmp(pids) if bot.is_confined else _measure_scratch(bot)
    limit, most_files = bot.keep["disk_bytes"], bot.keep["files"]
    if used >= limit:
        return {"what": "disk", "used": used, "limit": limit}
    return {"what": "disk", "used": files, "limit": most_files, "unit": "files"} if files > most_files else None


def _measure_own_tmp(pids: list[int]) -> tuple[int, int]:
    """Bytes and files in /tmp and /dev/shm of a sandbox: memory that belongs to no process."""
    for pid in reversed(pids):
        with contextlib.suppress(OSError):
            root = os.stat(f"/proc/{pid}/root")  # noqa: PTH116 - as above
            if (root.st_dev, root.st_ino) == _OWN_ROOT:
                continue
            used = files = 0
            for place in ("tmp", "dev/shm"):
                facts = os.statvfs(f"/proc/{pid}/root/{place}")
                used += (facts.f_blocks - facts.f_bfree) * facts.f_frsize
                files += facts.f_files - facts.f_ffree
            return used, files
    return 0, 0


def _measure_scratch(bot: Bot) -> tuple[int, int]:
    """Bytes and files in its scratch directory; looked at less often, since every file has to be asked."""
    if bot.scratch is None or time.monotonic() < bot.next_disk_look:
        return 0, 0
    bot.next_disk_look = time.monotonic() + DISK_INTERVAL_S
    most_files = bot.keep["files"]
    used = files = 0
    directories = [bot.scratch]
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
            if error.errno == errno.ENAMETOOLONG:  # what lies deeper than any path nobody could count
                return used, most_files + 1
    return used, files


def _size(entry: os.DirEntry[str]) -> int:
    """Bytes on the disk; 0 if it is gone meanwhile."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except FileNotFoundError:
        return 0


def _own_root() -> tuple[int, int]:
    facts = os.stat("/")  # noqa: PTH116 - as above
    return facts.st_dev, facts.st_ino


_OWN_ROOT = _own_root()
