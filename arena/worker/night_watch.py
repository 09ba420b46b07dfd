"""Looks at all bots of one worker that nobody asks, seated and warm, and puts those to sleep that still compute."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from arena.hosting.errors import LauncherLostError
from arena.worker.meters import make_meter
from arena.worker.rest import BotRest
from arena.worker.warm_bot import WarmBot

LOOK_EVERY_S = 0.05
"""A look reads one clock a process. It is rare enough to cost instant bots nothing, and a bot that computes meanwhile
takes no more from the others than the host gives back to them."""


class NightWatch:
    """Watches the bots that were added until they end. Async context manager; it looks as long as it is entered."""

    def __init__(self) -> None:
        self._rests: dict[WarmBot, BotRest] = {}
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to look."""
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Look no more."""
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def rest_of(self, bot: WarmBot) -> BotRest:
        """Return the rest of a bot that has joined, which is watched from now on."""
        rest = self._rests.get(bot)
        if rest is None:
            now = asyncio.get_running_loop().time()
            rest = self._rests[bot] = BotRest(bot.process, bot.stream, make_meter(bot.process), now)
            bot.process.exited.add_done_callback(lambda _: self.forget(bot))
        return rest

    def bots(self) -> Sequence[WarmBot]:
        """Return the bots that it watches."""
        return tuple(self._rests)

    def close_meter(self, bot: WarmBot) -> None:
        """Close the files of the meter of a bot whose match is over."""
        rest = self._rests.get(bot)
        if rest is not None:
            rest.meter.close()

    def forget(self, bot: WarmBot) -> None:
        """Watch a bot no more, which is leaving."""
        rest = self._rests.pop(bot, None)
        if rest is not None:
            rest.meter.close()

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(LauncherLostError):  # the match finds out by itself, and says so
            while True:
                await asyncio.sleep(LOOK_EVERY_S)
                for rest in [rest for rest in self._rests.values() if rest.must_lie_down(loop.time())]:
                    await rest.lie_down()
