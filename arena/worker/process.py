"""Prepares the process of a worker: its core, its descriptors, its pipes to the coordinator."""

from __future__ import annotations

import asyncio
import os
import resource
import sys

MANY_DESCRIPTORS = 16_384
"""Enough for the connections of 32 bots that hold as many as they may."""


def pin(core: int | None) -> None:
    """Stay on one core; the launcher and the bots inherit it."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def allow_many_descriptors() -> None:
    """Allow as many as this user may have, up to MANY_DESCRIPTORS: a few hostile bots can use up the usual 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MANY_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def take_stdout() -> int:
    """Return the descriptor for messages; whatever else prints goes to stderr from now on."""
    output = os.dup(1)
    os.dup2(2, 1)
    return output


async def open_stdin() -> asyncio.StreamReader:
    """Return stdin as a stream of the running event loop."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader
