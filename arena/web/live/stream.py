"""A spectator: a stream of server-sent events about one match or several, which ends with the last of them.

    event: story   {"match", "at", "story"}                  the match so far, or its last position alone
    event: more    {"match", "at", "frames", "parts", "end"}  what has happened since
    event: stop    {"match", "why"}                          nothing more comes, and why

The id of an event holds the places in all matches, so that a browser goes on where it was (`Last-Event-ID`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from arena.web.live.broadcast import MatchBroadcast
from arena.web.live.hub import Hub
from arena.web.shared.streams import HEARTBEAT_S, READ_PATIENCE_S

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
_APART = ";"


@dataclass(slots=True)
class StreamedMatch:
    """One match in a stream, and how much of it the spectator has."""

    broadcast: MatchBroadcast
    language: str
    place: str | None = None
    only_latest: bool = False
    is_done: bool = False


def places_of(text: str | None, count: int) -> list[str | None]:
    """Return the places that an id of an event holds; none if it is not one of a stream of so many matches."""
    places = (text or "").split(_APART)
    return list(places) if text and len(places) == count else [None] * count


class Spectator(Response):
    """Answers with the stream of one spectator."""

    def __init__(self, hub: Hub, views: Sequence[StreamedMatch]) -> None:
        super().__init__()
        self._hub = hub
        self._views = views
        self._news = asyncio.Event()
        self._has_left = False

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Tell what happens until the last match is over, or the spectator leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        listening = asyncio.create_task(self._listen(receive))
        try:
            with self._counted(), suppress(TimeoutError):  # who reads nothing comes back, and goes on where he was
                await self._send_updates(send)
        finally:
            listening.cancel()

    async def _send_updates(self, send: Send) -> None:
        await _send(send, b"retry: 2000\n\n")
        while not self._is_over:
            self._news.clear()
            body = b"".join(self._new())
            if body:
                await _send(send, body)
            if not self._is_over and not await self._wait():
                await _send(send, b":\n\n")
        if not self._has_left:
            await _send(send, b"", more=False)

    @property
    def _is_over(self) -> bool:
        return self._has_left or self._hub.is_closed or all(view.is_done for view in self._views)

    async def _wait(self) -> bool:
        """Return whether there were news before the next heartbeat."""
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                return await self._news.wait()
        except TimeoutError:
            return False

    def _new(self) -> Iterator[bytes]:
        for view in self._views:
            if view.is_done:
                continue
            is_over = view.broadcast.is_over  # asked first: what comes meanwhile is told the next time
            found = view.broadcast.message(view.language, view.place, only_latest=view.only_latest)
            if found is not None:
                view.place, message = found
                yield message + self._id()
            if is_over:
                view.is_done = True
                why = str(view.broadcast.failure or "")
                yield f"event: stop\ndata: {json.dumps({'match': view.broadcast.match, 'why': why})}\n\n".encode()

    def _id(self) -> bytes:
        return f"id: {_APART.join(view.place or '' for view in self._views)}\n\n".encode()

    async def _listen(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._has_left = True
        self._news.set()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._hub.spectators += 1
        for view in self._views:
            view.broadcast.wakers.add(self._news)
        try:
            yield
        finally:
            self._hub.spectators -= 1
            for view in self._views:
                view.broadcast.wakers.discard(self._news)


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    """Send a part. Raises TimeoutError if the spectator does not read."""
    async with asyncio.timeout(READ_PATIENCE_S):
        await send({"type": "http.response.body", "body": body, "more_body": more})
