"""Prepares a worker process: its core, its limit on descriptors, its pipes to the coordinator, room for processes.

Where this machine has no room for another process, nobody can start, and whoever cannot is not to blame: we wait.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from arena.hosting.errors import HostBusyError
from arena.hosting.sandbox.host_capacity import THREADS, allow_inherited, check_descriptors, has_room

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 8.0
ROOM_PATIENCE_S = 60.0
"""How long a start waits for room altogether."""
FEW_THREADS = 2
SOME_THREADS = 16
"""More than a bot has, so that one that has just ended does not seem to be room."""
ROOM_LOOK_S = 0.5
Started = TypeVar("Started")


def pin(cores: str) -> None:
    """Stay on these cores, written like `2,3`; the launcher and the bots inherit that. Empty: on any."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(map(int, cores.split(","))))


def check_limits() -> None:
    """Raise the limit on descriptors, and those that bots inherit. Raises HostingError if they stay too low.

    A bot that reaches a limit of this host would be blamed for what it did not do.
    """
    check_descriptors()
    allow_inherited()


async def check_room_for_bot(commands: asyncio.StreamReader, *, is_patient: bool) -> None:
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


async def wait_for_room(start: Callable[[], Awaitable[Started]]) -> Started:
    """Start something, again after longer and longer pauses while there is no room. Raises what `start` does."""
    pause_s, waited_s = FIRST_PAUSE_S, 0.0
    while True:
        try:
            return await start()
        except HostBusyError:
            if waited_s >= ROOM_PATIENCE_S:
                raise
        await asyncio.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


class RoomWatch:
    """Knows when there was no room: gRPC, ours and a bot's, may be lame for ever that got no thread then."""

    def __init__(self) -> None:
        self._full_s = float("-inf")
        self._is_full = False

    async def run(self) -> None:
        """Look again and again. Never ends."""
        while True:
            self.look()
            await asyncio.sleep(ROOM_LOOK_S)

    def look(self, threads: int = FEW_THREADS) -> bool:
        """Return whether there is room now, and note when there is none.

        There may have been none up to the look that finds room again.
        """
        is_there = has_room(threads)
        if self._is_full or not is_there:
            self._full_s = time.monotonic()
        self._is_full = not is_there
        return is_there

    def was_full_since(self, instant_s: float) -> bool:
        """Return whether there was no room at some time since an instant of the monotonic clock."""
        return self._full_s >= instant_s
