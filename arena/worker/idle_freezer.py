"""Looks at all bots of one worker that are not asked, seated and warm, and freezes those that still compute."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from arena.hosting.errors import LauncherLostError
from arena.worker.bot_freezer import BotFreezer
from arena.worker.meters import make_meter
from arena.worker.warm_bot import WarmBot

LOOK_EVERY_S = 0.05
"""A look reads one clock a process. It is rare enough to cost instant bots nothing, and a bot that computes meanwhile
takes no more from the others than the host gives back to them."""


class IdleFreezer:
    """Watches the bots that were added until they end. Async context manager; it looks as long as it is entered."""

    def __init__(self) -> None:
        self._freezers: dict[WarmBot, BotFreezer] = {}
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

    def freezer_of(self, bot: WarmBot) -> BotFreezer:
        """Return the freezer of a bot that has joined; the bot is watched from now on."""
        freezer = self._freezers.get(bot)
        if freezer is None:
            now = asyncio.get_running_loop().time()
            freezer = self._freezers[bot] = BotFreezer(bot.process, bot.stream, make_meter(bot.process), now)
            bot.process.exited.add_done_callback(lambda _: self.forget(bot))
        return freezer

    def bots(self) -> Sequence[WarmBot]:
        """Return the bots that it watches."""
        return tuple(self._freezers)

    def close_meter(self, bot: WarmBot) -> None:
        """Close the files of the meter of a bot whose match is over."""
        freezer = self._freezers.get(bot)
        if freezer is not None:
            freezer.meter.close()

    def forget(self, bot: WarmBot) -> None:
        """Watch a bot no more, which is leaving."""
        freezer = self._freezers.pop(bot, None)
        if freezer is not None:
            freezer.meter.close()

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        with suppress(LauncherLostError):  # the match finds out by itself, and says so
            while True:
                await asyncio.sleep(LOOK_EVERY_S)
                for freezer in [freezer for freezer in self._freezers.values() if freezer.must_freeze(loop.time())]:
                    await freezer.freeze()
