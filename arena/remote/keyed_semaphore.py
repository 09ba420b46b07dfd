"""A semaphore for each key, for something costly: each key has so many at once, and whoever asks for more waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class KeyedSemaphore:
    """Runs what is asked for; it is counted until it is done, even if nobody waits for it any more."""

    def __init__(self, most: int) -> None:
        """Let each key have `most` at once."""
        self._most = most
        self._semaphores: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return what `work` returns, called when `key` has less than `most` running; raise what it raises."""
        semaphore = self._semaphores.setdefault(key, asyncio.Semaphore(self._most))
        self._users[key] = self._users.get(key, 0) + 1
        try:
            await semaphore.acquire()
        except BaseException:
            self._forget(key)
            raise
        doing = asyncio.ensure_future(work())
        doing.add_done_callback(lambda done: self._end(key, semaphore, done))
        return await asyncio.shield(doing)

    def _end(self, key: str, semaphore: asyncio.Semaphore, done: asyncio.Future[T]) -> None:
        if not done.cancelled():
            done.exception()  # whoever waited may be gone, and nobody else wants to hear of it
        semaphore.release()
        self._forget(key)

    def _forget(self, key: str) -> None:
        self._users[key] -= 1
        if not self._users[key]:
            del self._users[key], self._semaphores[key]
