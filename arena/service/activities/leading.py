"""Has what must not be done twice be done by one of the services that share a database, by another after its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from arena.service.activities.foreman import Activity
from arena.service.logs import Logger
from ratings.store.server_lock import ServerHolder, ServerLock


class Leading:
    """An activity that is others, while this service holds the lock of the database."""

    def __init__(
        self, lock: ServerLock, activities: Sequence[Activity], begin: Callable[[], object], log: Logger
    ) -> None:
        """Call `begin` whenever the lock was taken, before anything else is done."""
        self._lock = lock
        self._activities = activities
        self._begin = begin
        self._log = log
        self._leads: bool | None = None

    async def look(self) -> None:
        """Take the lock if it is free, and do what is to be done with it; end all of that if another has it."""
        leads = await asyncio.to_thread(self._lock.keep)
        if leads != self._leads:
            await self._change(leads)
        if leads:
            for activity in self._activities:
                await activity.look()

    async def close(self) -> None:
        """End everything, and let another service go on with it."""
        await self._end()
        self._lock.free()

    async def _change(self, leads: bool) -> None:
        if leads:
            await asyncio.to_thread(self._begin)
            self._log.info("looks after admissions, ladders and seasons")
        else:
            await self._end()
            holder = await asyncio.to_thread(self._lock.holder)
            self._log.info("leaves admissions, ladders and seasons to another service", who=_named(holder))
        self._leads = leads

    async def _end(self) -> None:
        for activity in self._activities:
            await activity.close()


def _named(holder: ServerHolder | None) -> str:
    return "unknown" if holder is None else f"process {holder.pid} on {holder.host}"
