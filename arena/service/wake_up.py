"""Wakes those who wait for work: any thread may notify them, and what comes while nobody waits is not lost."""

from __future__ import annotations

import asyncio


class WakeUp:
    """A condition that tasks of one event loop wait for, and that any thread sets."""

    def __init__(self) -> None:
        """Belong to the event loop that runs now."""
        self._loop = asyncio.get_running_loop()
        self._count = 0
        self._changed = asyncio.Event()

    def notify(self) -> None:
        """Wake everybody who waits, from whatever thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._notify)

    def _notify(self) -> None:
        self._count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def count(self) -> int:
        """Return how many notifications there were, for `wait`."""
        return self._count

    async def wait(self, since: int, patience_s: float) -> int:
        """Wait until there were more notifications than `since`, at most `patience_s`, and return how many."""
        if self._count == since:
            try:
                async with asyncio.timeout(patience_s):
                    await self._changed.wait()
            except TimeoutError:
                pass
        return self._count
