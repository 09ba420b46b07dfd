"""The streams whose bots have not joined yet: so many together, and the address with most of them gives way. No I/O."""

from __future__ import annotations

from typing import Protocol

from arena.remote.values import FULL, StreamRefusedError
from arena.wire.status import Status


class ClosableStream(Protocol):
    """Can be ended."""

    def close(self, error: Status | None = None) -> None:
        """End the stream with an error for the bot."""


class PendingStreams:
    """Holds streams by the address that they come from, so that one address cannot keep all others out."""

    def __init__(self, most: int) -> None:
        """Hold `most` streams at once."""
        self._most = most
        self._streams: dict[str, dict[ClosableStream, None]] = {}

    def enter(self, address: str, stream: ClosableStream) -> None:
        """Take a stream in; when all is full, the address with most loses its oldest. Raises StreamRefusedError."""
        if sum(map(len, self._streams.values())) >= self._most:
            self._make_room(address)
        self._streams.setdefault(address, {})[stream] = None

    def leave(self, address: str, stream: ClosableStream) -> None:
        """Note that a stream has joined or ended; nothing happens if it had to give way."""
        streams = self._streams.get(address, {})
        streams.pop(stream, None)
        if not streams:
            self._streams.pop(address, None)

    def _make_room(self, address: str) -> None:
        crowded = max(self._streams, key=lambda one: len(self._streams[one]))
        if len(self._streams.get(address, ())) + 1 >= len(self._streams[crowded]):
            raise StreamRefusedError(FULL)
        oldest = next(iter(self._streams[crowded]))
        oldest.close(FULL)
        self.leave(crowded, oldest)
