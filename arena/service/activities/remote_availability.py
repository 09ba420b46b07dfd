"""Brings ladders in line with which remote bots are connected: at once when one comes, after a while when one goes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from arena.service.activities.context import ServiceContext
from engine.text import Text
from ratings.ledger.service import ServiceLedger
from ratings.read.ladders import remote_versions
from ratings.store.models import VersionRecord

WHY = Text("service.not_connected", "it is not connected")


class ConnectedVersions(Protocol):
    """Knows which remote versions are connected."""

    def is_connected(self, content_hash: str) -> bool:
        """Return whether that version is there."""


class RemoteAvailability:
    """Writes which active versions of remote bots are absent. A service that has just begun waits for them, too."""

    def __init__(
        self,
        context: ServiceContext,
        connected: ConnectedVersions,
        away_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ladders go on without who has been away for `away_s`: a connection that breaks is soon back."""
        self._context = context
        self._connected = connected
        self._clock = clock
        self._away_s = away_s
        self._missed: dict[str, float] = {}
        """When each version that is away was first missed, by its id."""

    async def look(self) -> None:
        """Write who has been away for long, and who is back."""
        versions = await asyncio.to_thread(remote_versions, self._context.database)
        self._missed = {version.id: self._missed.get(version.id, self._clock()) for version, _, _ in versions}
        found = {version.id: why for version, _, is_absent in versions for why in self._news(version, is_absent)}
        if not found:
            return
        noted = await asyncio.to_thread(ServiceLedger(self._context.database).note_absences, found)
        self._context.log.info("remote bots came or went", gone=noted.gone, back=noted.back)

    async def close(self) -> None:
        """Forget since when who is away: who looks again gives everybody the whole while to come."""
        self._missed.clear()

    def _news(self, version: VersionRecord, is_absent: bool) -> list[str | None]:
        """Return what is new about a version: why it is absent now, or `None` if it is back; nothing if nothing is."""
        if self._connected.is_connected(version.content_hash):
            self._missed.pop(version.id, None)
            return [None] if is_absent else []
        has_left = self._clock() - self._missed[version.id] >= self._away_s
        return [WHY] if has_left and not is_absent else []
