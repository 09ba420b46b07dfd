"""Wakes those who wait for work: any thread may ring, and a ring while nobody listens is not lost."""

from __future__ import annotations

import asyncio


class Bell:
    """Something that waiting tasks of one event loop listen to."""

    def __init__(self) -> None:
        """Belong to the event loop that runs now."""
        self._loop = asyncio.get_running_loop()
        self._rings = 0
        self._changed = asyncio.Event()

    def ring(self) -> None:
        """Wake everybody who waits, from whatever thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        self._rings += 1
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def rings(self) -> int:
        """Return how often it rang, for `wait`."""
        return self._rings

    async def wait(self, since: int, patience_s: float) -> int:
        """Wait until it rang more often than `since`, at most `patience_s`, and return how often it rang."""
        if self._rings == since:
            try:
                async with asyncio.timeout(patience_s):
                    await self._changed.wait()
            except TimeoutError:
                pass
        return self._rings
