"""Spares making and sending again what is as it was: whole answers that are kept, and tags of their content (ETag).

A page of a large leaderboard takes some hundredths of a second of a processor, and many look at the same few. What is
kept is given for `LONGEST_S` at most, and no longer once anybody has written anything at all to the database, or an
official table is another one. Nothing is kept of a database that does not tell when it was written to.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.middleware.request_checks import is_this_machine
from arena.web.shared.rendering import POLLS
from arena.web.shared.site import age_of
from arena.web.shared.visitor import language_of, theme_of

Mark = Callable[[], Hashable | None]
"""Returns another value as soon as anything is different; `None` if there is no telling."""
LONGEST_S: Final = 60.0
_ROOMS: Final = ("/leaderboards", "/bots", "/bot-times/", "/compare", "/tournaments", "/api/v1/")
_PLACES: Final = ("/matches",)
"""What stands there follows from the database, the official tables, the address, and a visitor's choices alone."""
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_BYTES_EACH: Final = 256 * 1024
_LONGEST_QUERY: Final = 500
_TAGGED: Final = ("/api/", "/feed.atom")
_PICTURES: Final = "/badge.svg"
_OK: Final = 200
_NOT_MODIFIED: Final = 304
_KEPT: Final = ("age", "cache-control", "vary", "etag", "access-control-allow-origin", "access-control-expose-headers")
"""The headers that stand on an answer without a body, too."""


class PageCacheMiddleware:
    """Gives the same answer again while nothing has changed that it follows from. It holds at most 16 MiB."""

    def __init__(self, app: ASGIApp, *, mark: Mark, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._mark, self._clock = app, mark, clock
        self._kept: OrderedDict[Hashable, _Answer] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
                answer = _Answer(captured.start, captured.body, mark, self._clock() + LONGEST_S)
                with self._lock:
                    before = self._kept.pop(key, None)
                    self._bytes += len(answer.body) - (0 if before is None else len(before.body))
                    self._kept[key] = answer
                    while self._bytes > _MOST_BYTES:
                        self._bytes -= len(self._kept.popitem(last=False)[1].body)

    def _find(self, key: Hashable, mark: Hashable) -> _Answer | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.mark != mark or self._clock() >= kept.until_s:
                return None
            self._kept.move_to_end(key)
            return kept


@dataclass(frozen=True, slots=True)
class _Answer:
    start: Message
    body: bytes
    mark: Hashable
    until_s: float


def _key_of(scope: Scope) -> Hashable | None:
    """Return everything in a request that its answer depends on; `None` for an answer that is not kept."""
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
    """Passes an answer on, and keeps a copy if it can be given again."""

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
            part = message.get("body", b"")
            self._size += len(part)
            if self._size <= _MOST_BYTES_EACH:
                self._parts.append(part)
            headers = Headers(raw=self.start["headers"])
            is_for_all = "set-cookie" not in headers and "no-store" not in headers.get("cache-control", "")
            is_fit = self.start["status"] == _OK and is_for_all and self._size <= _MOST_BYTES_EACH
            self.is_whole = is_fit and not message.get("more_body", False)
        await self._send(message)


class ETagMiddleware:
    """Adds an ETag to answers of the API, the feed and badges, and answers 304 if the client has that version.

    They are held until they are whole; pages and live streams pass through untouched.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not is_asked or (not scope["path"].startswith(_TAGGED) and not scope["path"].endswith(_PICTURES)):
            await self._app(scope, receive, send)
            return
        held = _Held(scope, send)
        await self._app(scope, receive, held.take)


class _Held:
    def __init__(self, scope: Scope, send: Send) -> None:
        self._known = Headers(scope=scope).get("if-none-match", "")
        self._is_private = is_this_machine(Headers(scope=scope).get("host", ""))
        """Whether the arena is perhaps for nobody but this machine, whose browsers pages from everywhere run in."""
        self._is_open = scope["path"].startswith(_TAGGED) and not self._is_private
        self._send = send
        self._state = State(scope.setdefault("state", {}))
        self._start: Message = {}
        self._body: list[bytes] = []

    async def take(self, message: Message) -> None:
        """Take a part of the answer, and send all of it once the last has come."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body.append(message.get("body", b""))
        if not message.get("more_body", False):
            body = b"".join(self._body)
            headers = MutableHeaders(raw=list(self._start["headers"]))
            if self._is_open:
                headers["access-control-allow-origin"] = "*"
                headers["access-control-expose-headers"] = "Age, ETag, Retry-After"
            elif self._is_private:
                del headers["access-control-allow-origin"]
            if self._start["status"] == _OK:
                if (age := int(age_of(self._state))) > 0:
                    headers["age"] = str(age)
                tag = f'W/"{hashlib.sha256(body).hexdigest()[:24]}"'
                headers["etag"] = tag
                headers.setdefault("cache-control", "no-cache")
                # `If-None-Match` may name the tag strong or weak (RFC 9110, 13.1.2).
                names = {name.strip().removeprefix("W/") for name in self._known.split(",")}
                if "*" in names or tag.removeprefix("W/") in names:
                    kept = [(name, value) for name, value in headers.raw if name.decode() in _KEPT]
                    await self._send({"type": "http.response.start", "status": _NOT_MODIFIED, "headers": kept})
                    await self._send({"type": "http.response.body", "body": b""})
                    return
            await self._send({**self._start, "headers": headers.raw})
            await self._send({"type": "http.response.body", "body": body})
