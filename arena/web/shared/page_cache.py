"""Keeps whole answers for as long as nothing was written that could change them.

A page of a large leaderboard takes some hundredths of a second of a processor, and many look at the same few. What is
kept is given for `LONGEST_S` at most, and no longer once anybody has written anything at all to the database, or an
official table is another one. Nothing is kept of a database that does not tell when it was written to.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.shared.rendering import POLLS
from arena.web.shared.site import age_of
from arena.web.shared.visitor import language_of, theme_of

LONGEST_S: Final = 60.0
_ROOMS: Final = ("/leaderboards", "/bots", "/bot-times/", "/compare", "/tournaments", "/api/v1/")
_PLACES: Final = ("/matches",)
"""What stands there follows from the database, the official tables, the address, and a visitor's choices alone."""
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_BYTES_EACH: Final = 256 * 1024
_LONGEST_QUERY: Final = 500
_OK: Final = 200
Mark = Callable[[], Hashable | None]
"""Returns another value as soon as anything is different; `None` if there is no telling."""


@dataclass(frozen=True, slots=True)
class _Answer:
    start: Message
    body: bytes
    mark: Hashable
    until_s: float


class PageCacheMiddleware:
    """Answers requests as was done before, if that is still true. It holds 16 MiB at most."""

    def __init__(self, app: ASGIApp, *, mark: Mark, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._mark, self._clock = app, mark, clock
        self._kept: OrderedDict[Hashable, _Answer] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        key = _key_of(scope)
        mark = None if key is None else await run_in_threadpool(self._mark)
        if mark is None:
            await self._app(scope, receive, send)
        elif (kept := self._find(key, mark)) is not None:
            await send({**kept.start, "headers": list(kept.start["headers"])})
            await send({"type": "http.response.body", "body": kept.body})
        else:
            captured = _CapturedResponse(send)
            await self._app(scope, receive, captured.take)
            if captured.is_whole and age_of(State(scope.setdefault("state", {}))) == 0.0:
                self._keep(key, _Answer(captured.start, captured.body, mark, self._clock() + LONGEST_S))

    def _find(self, key: Hashable, mark: Hashable) -> _Answer | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.mark != mark or self._clock() >= kept.until_s:
                return None
            self._kept.move_to_end(key)
            return kept

    def _keep(self, key: Hashable, answer: _Answer) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += len(answer.body) - (0 if before is None else len(before.body))
            self._kept[key] = answer
            while self._bytes > _MOST_BYTES:
                self._bytes -= len(self._kept.popitem(last=False)[1].body)


def _key_of(scope: Scope) -> Hashable | None:
    """Return all that an answer follows from; `None` where there is more than that."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    if scope["path"] not in _PLACES and not scope["path"].startswith(_ROOMS):
        return None
    request, headers = Request(scope), Headers(scope=scope)
    if len(scope["query_string"]) > _LONGEST_QUERY or POLLS in headers:
        return None
    asked = (scope["scheme"], headers.get("host"), scope["path"], scope["query_string"], headers.get("accept"))
    return (*asked, headers.get("accept-encoding"), "hx-request" in headers, language_of(request), theme_of(request))


class _CapturedResponse:
    """Passes an answer on, and remembers it if it can be given again."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._parts: list[bytes] = []
        self._size = 0
        self.start: Message = {}
        self.is_whole = False

    @property
    def body(self) -> bytes:
        """Return all that was sent."""
        return b"".join(self._parts)

    async def take(self, message: Message) -> None:
        """Take a part."""
        if message["type"] == "http.response.start":
            self.start = {**message, "headers": list(message["headers"])}
        else:
            self._remember(message.get("body", b""))
            self.is_whole = not message.get("more_body", False) and self._is_fit()
        await self._send(message)

    def _remember(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= _MOST_BYTES_EACH:
            self._parts.append(part)

    def _is_fit(self) -> bool:
        headers = Headers(raw=self.start["headers"])
        is_for_all = "set-cookie" not in headers and "no-store" not in headers.get("cache-control", "")
        return self.start["status"] == _OK and is_for_all and self._size <= _MOST_BYTES_EACH
