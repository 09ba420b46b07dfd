"""Prepares a worker process: its core, its limit on descriptors, its pipes to the coordinator."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import sys

from arena.hosting.errors import HostBusyError, HostingError
from arena.hosting.sandbox.limits import SandboxLimits
from arena.worker.room import THREADS, has_room, wait_for_room

MANY_DESCRIPTORS = 16_384
"""Enough for the connections of 32 bots that hold as many as they may."""


_INHERITED = {
    "RLIMIT_CPU": ("-t", SandboxLimits().cpu_s),
    "RLIMIT_FSIZE": ("-f", SandboxLimits().disk_mb << 20),
    "RLIMIT_AS": ("-v", 4 << 30),
    "RLIMIT_DATA": ("-d", 4 << 30),
}
"""What must be allowed of each of these, in seconds or bytes."""


def pin(cores: str) -> None:
    """Stay on these cores, written like `2,3`; the launcher and the bots inherit that. Empty: on any."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(map(int, cores.split(","))))


def allow_many_descriptors() -> None:
    """Raise the limit on descriptors up to MANY_DESCRIPTORS: a few hostile bots can exhaust the usual 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MANY_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS calls its limit infinite, and allows 10,240
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def check_limits() -> None:
    """Raise the limits that bots inherit as far as they go. Raises HostingError if that is not far enough for them.

    A bot that reaches a limit of this host would be blamed for what it did not do.
    """
    for name, (option, least) in _INHERITED.items():
        which = getattr(resource, name)
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (hard, hard))
        if hard != resource.RLIM_INFINITY and hard < least:
            raise HostingError(f"this host sets a limit (ulimit {option}) of {hard}; bots need {least} or none")


async def check_room(commands: asyncio.StreamReader, *, is_patient: bool) -> None:
    """Raise HostBusyError if a bot has no room here; with `is_patient`, only if it has none for as long as starts wait.

    Raises BrokenPipeError if the `commands` end meanwhile.
    """

    async def look() -> None:
        if commands.at_eof():
            raise BrokenPipeError
        if not has_room():
            raise HostBusyError(f"this host has no room for {THREADS} more threads (ulimit -u); bots need as many")

    await (wait_for_room(look) if is_patient else look())


def take_stdout() -> int:
    """Return a descriptor for messages; from now on everything printed goes to stderr."""
    output = os.dup(1)
    os.dup2(2, 1)
    return output


async def open_stdin() -> asyncio.StreamReader:
    """Return stdin as a stream of the running event loop."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader
