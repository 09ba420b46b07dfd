"""Tags answers by their content, so that whoever has them already is told so instead of being sent them again."""

from __future__ import annotations

import hashlib
from typing import Final

from starlette.datastructures import Headers, MutableHeaders, State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.middleware.host_check import is_this_machine
from arena.web.shared.site import age_of

_TAGGED: Final = ("/api/", "/feed.atom")
_PICTURES: Final = "/badge.svg"
_OK: Final = 200
_NOT_MODIFIED: Final = 304
_KEPT: Final = ("age", "cache-control", "vary", "etag", "access-control-allow-origin", "access-control-expose-headers")
"""The headers that stand on an answer without a body, too."""


class ETagMiddleware:
    """Gives the answers of the API, of the feed and of badges an ETag, and answers what is known with 304.

    They are held until they are whole; pages and live streams pass through untouched.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_tagged = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and _is_tagged(scope["path"])
        if not is_tagged:
            await self._app(scope, receive, send)
            return
        held = _Held(scope, send)
        await self._app(scope, receive, held.take)


def _is_tagged(path: str) -> bool:
    return path.startswith(_TAGGED) or path.endswith(_PICTURES)


class _Held:
    """An answer that is not sent before it is whole."""

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
            await self._finish(b"".join(self._body))

    async def _finish(self, body: bytes) -> None:
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
            if _knows(self._known, tag):
                kept = [(name, value) for name, value in headers.raw if name.decode() in _KEPT]
                await self._send({"type": "http.response.start", "status": _NOT_MODIFIED, "headers": kept})
                await self._send({"type": "http.response.body", "body": b""})
                return
        await self._send({**self._start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})


def _knows(known: str, tag: str) -> bool:
    """Return whether a header `If-None-Match` names the tag, strong or weak (RFC 9110, 13.1.2)."""
    names = {name.strip().removeprefix("W/") for name in known.split(",")}
    return "*" in names or tag.removeprefix("W/") in names
