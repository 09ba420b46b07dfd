"""Looks what there is to do, again at every wake-up and at least every few seconds, and has it done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.service.activities.context import ServiceContext
from arena.service.supervision import RestartBackoff

PART = "looking for work"
LOOK_EVERY_S = 2.0


class Activity(Protocol):
    """Something that a service does while there is something to do."""

    async def look(self) -> None:
        """Begin what is new, and end what is over."""

    async def close(self) -> None:
        """End everything that was begun."""


class SchedulerLoop:
    """Keeps all activities looking."""

    def __init__(self, context: ServiceContext, activities: Sequence[Activity], every_s: float = LOOK_EVERY_S) -> None:
        """Look at least every `every_s` seconds."""
        self._context = context
        self._activities = activities
        self._every_s = every_s

    async def run(self) -> None:
        """Look on and on until this task is cancelled, which ends everything that was begun."""
        backoff = RestartBackoff(longest_s=30.0)
        try:
            while True:
                await self._context.supervisor.keep_going(PART, self._look_on, backoff)
        finally:
            for activity in self._activities:
                await activity.close()

    async def _look_on(self) -> None:
        seen = self._context.wake_up.count
        for activity in self._activities:
            await activity.look()
        await self._context.wake_up.wait(seen, self._every_s)
