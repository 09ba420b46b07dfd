"""Shows matches while they wait in the slots and while they are played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from arena.executor import interface
from arena.match.live import LiveEvent
from arena.model.errors import FellBehindError
from arena.service.scheduler.slots import Slots

Watch = Callable[..., AsyncGenerator[LiveEvent, None]]
"""The `watch` of an executor, or of whatever keeps one; it raises LookupError for a match that is not there."""


class LiveSlots:
    """Shows the matches of the slots; implements `arena.service.server.match_watching.LiveMatches`."""

    def __init__(self, slots: Slots, watch: Watch) -> None:
        self._slots = slots
        self._watch = watch

    async def watch(
        self, match_id: str, *, after: int = -1, logs: Sequence[int] = ()
    ) -> AsyncGenerator[LiveEvent, None]:
        """Yield the events of a match that follow the sequence `after`, to its end; one that waits is waited for.

        Raises LookupError if it neither waits nor is played, and FellBehindError for who takes the events too slowly.
        """
        job = self._slots.find(match_id)
        if job is None:
            raise LookupError(f"match {match_id} is not played now")
        await job.moved.wait()
        await asyncio.sleep(0)  # what has begun just now reaches the executor with the next turn of the loop
        try:
            async with aclosing(self._watch(match_id, after=after, logs=logs)) as events:
                async for event in events:
                    yield event
        except interface.WatcherFellBehindError as error:
            raise FellBehindError(error.sequence) from error
