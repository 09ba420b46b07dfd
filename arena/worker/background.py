"""Processes that are being ended while something else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Endings:
    """Runs endings in the background until `settle` has waited for them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, ending: Coroutine[Any, Any, None]) -> None:
        """End something in the background."""
        task = asyncio.create_task(ending)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until all has ended. Raises what an ending raised."""
        await asyncio.gather(*self._tasks)
