"""Ends a launcher, or a bot proxy, that is stopped and not dead: whoever waits for it would wait for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

BEAT_S = 2.0
"""How often it is asked whether it goes on."""
SILENCE_S = 20.0
"""One that has not answered for so long is stopped, or its disk hangs."""


class HeartbeatWatch:
    """Measures for how long nothing was heard. Time in which this process did not go on itself does not count."""

    def __init__(self) -> None:
        self._silent_s = 0.0

    def note_answer(self) -> None:
        """Note that something was heard."""
        self._silent_s = 0.0

    async def wait(self, ask: Callable[[], None]) -> None:
        """Ask again and again, and return when nothing has been heard for too long."""
        while self._silent_s < SILENCE_S:
            ask()
            await asyncio.sleep(BEAT_S)
            self._silent_s += BEAT_S
