"""Knows how many matches each owner may have at the same time, and learns of it when that is changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from arena.service.scheduler.slots import Slots
from ratings.read.accounts import own_limits
from ratings.store.database import Database
from ratings.values.owners import OwnerLimits


class MatchLimits:
    """How many matches with bots of an owner may be played at the same time, as it was read last; 0 for no limit."""

    def __init__(self, common: OwnerLimits) -> None:
        self._common = common.concurrent_matches
        self._own: Mapping[str, int] = {}

    def __call__(self, owner: str) -> int:
        """Return it for the owner of that name."""
        return self._own.get(owner, self._common)

    def set_own(self, own: Mapping[str, int]) -> bool:
        """Take over for whom it differs from what all owners may, and return whether anything has changed."""
        has_changed = own != self._own
        self._own = own
        return has_changed


class MatchLimitUpdater:
    """Reads again and again for whom the limit differs, so that a change counts at once."""

    def __init__(self, database: Database, slots: Slots, limits: MatchLimits) -> None:
        self._database = database
        self._slots = slots
        self._limits = limits

    async def look(self) -> None:
        """Read the limits; what may begin now begins."""
        rows = await asyncio.to_thread(own_limits, self._database)
        name = "concurrent_matches"
        if self._limits.set_own({owner: own[name] for owner, own in rows.items() if name in own}):
            self._slots.dispatch()

    async def close(self) -> None:
        """Do nothing: nothing was begun."""
