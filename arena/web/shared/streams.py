"""Answers that go on: streams of server-sent events, which drop whoever does not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar

from starlette.responses import StreamingResponse
from starlette.types import Message, Send

from engine.translatable import Text

HEARTBEAT_S = 15.0
"""After so long without an event a stream says that it is there."""
READ_PATIENCE_S = 30.0
"""Who reads nothing for so long is dropped: his browser comes back, and goes on where it was."""
BEGIN = b"retry: 2000\n\n"
HEARTBEAT = b":\n\n"
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


def event(kind: str, text: str, place: str = "") -> bytes:
    """Return an event; a browser that comes back tells the last `place` that it was sent."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    head = f"event: {kind}\n" + (f"id: {place}\n" if place else "")
    return (head + "".join(f"data: {line}\n" for line in lines) + "\n").encode()


class EventStream(StreamingResponse):
    """Sends what a generator yields, until it ends, or the browser leaves or reads nothing for READ_PATIENCE_S."""

    def __init__(self, parts: AsyncGenerator[bytes, None]) -> None:
        super().__init__(parts, media_type="text/event-stream", headers=_HEADERS)

    async def stream_response(self, send: Send) -> None:
        """Send everything that the generator yields."""

        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(READ_PATIENCE_S):
                await send(message)

        with suppress(TimeoutError):
            await super().stream_response(send_in_time)


class TooManyStreamsError(Exception):
    """No more streams are served by this process; the message says what to do."""

    kind: ClassVar[str] = "unavailable"


class OpenStreams:
    """A bounded number of open streams, which all end when the server stops. Lives in one event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._closing = asyncio.Event()

    def need_room(self) -> None:
        """Raise TooManyStreamsError if no more streams can be opened."""
        if self._count >= self._most or self._closing.is_set():
            raise TooManyStreamsError(Text("as many are looking on as can be served; come back in a while"))

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a stream as open inside the block."""
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1

    async def rest(self, seconds: float) -> bool:
        """Wait, and return True; return False at once if the server stops."""
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return True
        return False

    def close(self) -> None:
        """End all streams."""
        self._closing.set()
