"""Waits while this machine has no room for another process, and finds out whether it has.

Nobody can start then, so whoever cannot is not to blame.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from arena.hosting.errors import HostBusyError

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 8.0
PATIENCE_S = 60.0
"""How long a start waits for room altogether."""
THREADS = 64
"""What a bot with its libraries may well need."""

FEW_THREADS = 2
SOME_THREADS = 16
"""More than a bot has, so that one that has just ended does not seem to be room."""
LOOK_EVERY_S = 0.5

Started = TypeVar("Started")


async def wait_for_room(start: Callable[[], Awaitable[Started]]) -> Started:
    """Start something, again after longer and longer pauses while there is no room. Raises what `start` does."""
    pause_s, waited_s = FIRST_PAUSE_S, 0.0
    while True:
        try:
            return await start()
        except HostBusyError:
            if waited_s >= PATIENCE_S:
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
            await asyncio.sleep(LOOK_EVERY_S)

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
