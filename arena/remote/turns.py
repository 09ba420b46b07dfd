"""Takes turns at something costly: everybody has so many at once, whoever asks for more waits behind his own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class Turns:
    """Runs what is asked for; a turn lasts until that is done, even if nobody waits for it any more."""

    def __init__(self, most: int) -> None:
        """Let everybody have `most` turns at once."""
        self._most = most
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    async def run(self, whose: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return what `work` returns, called when it is the turn of `whose`; raise what it raises."""
        turn = self._turns.setdefault(whose, asyncio.Semaphore(self._most))
        self._users[whose] = self._users.get(whose, 0) + 1
        try:
            await turn.acquire()
        except BaseException:
            self._forget(whose)
            raise
        doing = asyncio.ensure_future(work())
        doing.add_done_callback(lambda done: self._end(whose, turn, done))
        return await asyncio.shield(doing)

    def _end(self, whose: str, turn: asyncio.Semaphore, done: asyncio.Future[T]) -> None:
        if not done.cancelled():
            done.exception()  # whoever waited may be gone, and nobody else wants to hear of it
        turn.release()
        self._forget(whose)

    def _forget(self, whose: str) -> None:
        self._users[whose] -= 1
        if not self._users[whose]:
            del self._users[whose], self._turns[whose]
