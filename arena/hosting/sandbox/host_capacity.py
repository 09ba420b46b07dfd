"""What the arena needs of its host, and whether this host has it: looked up before anything is played.

A bot must never pay for a limit of its host. So every limit that can be raised is raised as far as the host allows, and
where that is not enough nothing is played. Neither inotify nor ports are used for hosted bots.
"""

from __future__ import annotations

import contextlib
import os
import resource
import threading
from collections.abc import Iterator
from pathlib import Path

from arena.hosting.errors import HostingError
from arena.hosting.procfs.machine import MEGABYTE, free_bytes
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.user_directories import find_base
from engine.translatable import Text

MANY_DESCRIPTORS = 16_384
"""Enough for the connections of 32 bots that hold as many as they may."""
FEWEST_DESCRIPTORS = 1024
"""What a process of the arena that hosts bots needs; measured, with 32 idle bots: its launcher 8 for each of them, it
itself 30, 4 for each bot, and 97 for the meter of each that is seated."""
COORDINATOR_DESCRIPTORS, WORKER_DESCRIPTORS = 64, 8
"""What a process that has workers needs itself, and for each of them; measured: 20 and 5."""
THREADS = 64
"""What a bot with its libraries may well need."""
WORKER_THREADS = 32
"""What a worker needs with its launcher and two small bots; measured: 27."""
WORKER_MB = 160
"""The memory that they need; measured: 160."""
_SMALL_STACK = 256 * 1024
_INHERITED = {
    "RLIMIT_CPU": ("-t", 1, SandboxLimits().cpu_s),
    "RLIMIT_FSIZE": ("-f", 1024, SandboxLimits().disk_mb << 20),
    "RLIMIT_AS": ("-v", 1024, 4 << 30),
    "RLIMIT_DATA": ("-d", 1024, 4 << 30),
    "RLIMIT_STACK": ("-s", 1024, 8 << 20),
}
"""What bots inherit: the option of ulimit, its unit in seconds or bytes, and what must be allowed."""


def allow_many_descriptors() -> int:
    """Raise the limit on descriptors up to MANY_DESCRIPTORS, and return it: the usual 1024 may be exhausted by a few.

    So it is where bots are hostile.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MANY_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS calls its limit infinite, and allows 10,240
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return MANY_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def check_descriptors(workers: int = 0) -> None:
    """Raise the limit on descriptors. Raises HostingError if this host allows fewer than a process needs.

    That is one that hosts bots, or has so many workers.
    """
    allowed = allow_many_descriptors()
    needed = max(FEWEST_DESCRIPTORS, COORDINATOR_DESCRIPTORS + WORKER_DESCRIPTORS * workers)
    if allowed < needed:
        raise HostingError(
            Text(
                "this host allows a process {allowed} open files (ulimit -n), and the arena needs {needed}; "
                "raise the limit with `ulimit -n {needed}`, as root if need be",
                allowed=allowed,
                needed=needed,
            )
        )


def allow_inherited() -> None:
    """Raise the limits that bots inherit as far as they go. Raises HostingError if that is not far enough for them."""
    for name, (option, unit, least) in _INHERITED.items():
        which = getattr(resource, name)
        soft, hard = resource.getrlimit(which)
        if hard != resource.RLIM_INFINITY and hard < least:
            raise HostingError(
                Text(
                    "this host sets a limit of {limit} (ulimit {option}), and bots need {least}; "
                    "raise it with `ulimit {option} {least}`, as root if need be",
                    limit=hard // unit,
                    option=option,
                    least=least // unit,
                )
            )
        if which != resource.RLIMIT_STACK:
            resource.setrlimit(which, (hard, hard))
        elif soft != resource.RLIM_INFINITY and soft < least:  # no further: each thread reserves as much
            resource.setrlimit(which, (least, hard))
            threading.stack_size(least)  # without this, threads of this process keep to the limit at its start


def check_host(workers: int) -> None:
    """Raise what can be raised of the limits of this process.

    Raises HostingError, one line with the figure and the remedy, if this machine has no room for so many workers.
    """
    check_descriptors(workers)
    check_capacity(workers)


def check_capacity(workers: int) -> None:
    """Raise the limits that bots inherit.

    Raises HostingError if they stay too low, or so many workers have no room: for processes, in memory or on the disk.
    """
    allow_inherited()
    threads = THREADS + WORKER_THREADS * workers
    with _small_stacks():
        is_there = has_room(threads)
    if not is_there:
        raise HostingError(
            Text(
                "this host has no room for {threads} more processes and threads, which {workers} workers need; "
                "raise the limit (ulimit -u, or pids.max of the control group), or use fewer --workers",
                threads=threads,
                workers=workers,
            )
        )
    needed_mb, free_mb = WORKER_MB * workers, free_bytes() // MEGABYTE
    if free_mb < needed_mb:
        raise HostingError(
            Text(
                "this host has {free} MB of free memory, and {workers} workers need {needed}; "
                "end other programs, or use fewer --workers",
                free=free_mb,
                workers=workers,
                needed=needed_mb,
            )
        )
    _check_disk(find_base())


def has_room(threads: int = THREADS) -> bool:
    """Return whether this machine lets us have as many threads, by default what a bot needs, by trying."""
    over = threading.Event()
    begun: list[threading.Thread] = []
    try:
        for _ in range(threads):
            thread = threading.Thread(target=over.wait, daemon=True)
            thread.start()
            begun.append(thread)
    except (RuntimeError, MemoryError):
        return False
    finally:
        over.set()
        for thread in begun:
            thread.join()
    return True


@contextlib.contextmanager
def _small_stacks() -> Iterator[None]:
    """Have threads that begin in the block reserve little memory: many are only tried."""
    before = threading.stack_size(_SMALL_STACK)
    try:
        yield
    finally:
        threading.stack_size(before)


def _check_disk(directory: Path) -> None:
    """Raise HostingError if a bot could not write there what it may."""
    facts = os.statvfs(directory)
    free_mb, needed_mb = facts.f_bavail * facts.f_frsize // MEGABYTE, SandboxLimits().disk_mb
    if free_mb < needed_mb:
        raise HostingError(
            Text(
                "{directory} has {free} MB left, and bots may write {needed} MB there; free some space, or set "
                "TMPDIR to a directory on another disk",
                directory=directory,
                free=free_mb,
                needed=needed_mb,
            )
        )
