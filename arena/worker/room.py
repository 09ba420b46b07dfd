"""Waits while this machine has no room for another process, and finds out whether it has.

Nobody can start then, so whoever cannot is not to blame.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from arena.hosting.errors import HostBusyError

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 8.0
PATIENCE_S = 60.0
"""How long a start waits for room altogether."""
THREADS = 64
"""What a bot with its libraries may well need."""

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


def has_room() -> bool:
    """Return whether this machine lets us have as many threads as a bot needs, by trying."""
    over = threading.Event()
    begun: list[threading.Thread] = []
    try:
        for _ in range(THREADS):
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
