"""Prepares a worker process: its core, its limit on descriptors, its pipes to the coordinator."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import sys

MANY_DESCRIPTORS = 16_384
"""Enough for the connections of 32 bots that hold as many as they may."""


def pin(core: int | None) -> None:
    """Stay on one core; the launcher and the bots inherit that."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def allow_many_descriptors() -> None:
    """Raise the limit on descriptors up to MANY_DESCRIPTORS: a few hostile bots can exhaust the usual 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MANY_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS calls its limit infinite, and allows 10,240
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


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
