"""Has what must not be done twice be done by one of the services that share a database, by another after its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from arena.service.activities.scheduler_loop import Activity
from arena.service.logs import Logger
from ratings.store.server_lock import ServerLock
from ratings.values.tournaments import LockHolder

_SOMEBODY = LockHolder("", None, 0)
"""Who has the lock if that is over before it can be asked."""


class LeaderActivities:
    """An activity that is others, while this service holds a lock of the database."""

    def __init__(
        self,
        lock: ServerLock,
        activities: Sequence[Activity],
        begin: Callable[[], object],
        log: Logger,
        what: str = "admissions, ladders and seasons",
    ) -> None:
        """Call `begin` whenever the lock was taken, before anything else is done. `what` is for the log."""
        self._lock = lock
        self._activities = activities
        self._begin = begin
        self._log = log
        self._what = what
        self._leads: bool | None = None
        self._other: LockHolder | None = None

    @property
    def other(self) -> LockHolder | None:
        """Return the other service that has the lock, as soon as everything here has ended; None if there is none."""
        return self._other

    async def settle(self) -> None:
        """Take the lock if it is free, and begin nothing yet; `other` is known then."""
        _, self._other = await asyncio.to_thread(self._try)

    async def look(self) -> None:
        """Take the lock if it is free, and do what is to be done with it; end all of that if another has it."""
        leads, other = await asyncio.to_thread(self._try)
        if leads != self._leads:
            await self._change(leads, other)
        self._other = other
        if leads:
            for activity in self._activities:
                await activity.look()

    async def close(self) -> None:
        """End everything, and let another service go on with it."""
        await self._end()
        self._lock.free()

    def _try(self) -> tuple[bool, LockHolder | None]:
        """Return whether the lock is held here, and else who has it."""
        # To ask who has it is faster than to try in vain, which each look would wait for.
        if self._leads is False and (other := self._lock.holder()) is not None:
            return False, other
        if self._lock.keep():
            return True, None
        return False, self._lock.holder() or _SOMEBODY

    async def _change(self, leads: bool, other: LockHolder | None) -> None:
        if leads:
            await asyncio.to_thread(self._begin)
            self._log.info(f"looks after {self._what}")
        else:
            await self._end()
            self._log.info(f"leaves {self._what} to another service", who=_named(other))
        self._leads = leads

    async def _end(self) -> None:
        for activity in self._activities:
            await activity.close()


def _named(holder: LockHolder | None) -> str:
    return "unknown" if holder is None or holder.pid is None else f"process {holder.pid} on {holder.host}"
