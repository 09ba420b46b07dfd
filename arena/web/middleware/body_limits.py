"""Bounds what a request may send: forms are small and come at once; an upload is larger, but does not dawdle either."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web.middleware.errors import error_page

MOST_BYTES: Final = 64 * 1024
"""More than any form of ours holds."""
UPLOADS: Final = "/account/upload"
"""Bounds its length itself, as soon as it knows who sends."""
FORM_S: Final = 30.0
"""Within which a form is here as a whole."""
PAUSE_S: Final = 30.0
"""How long an upload may stand still."""
UPLOAD_S: Final = 3600.0
"""Within which an upload is here as a whole, however little of it comes at a time."""
_TOO_LARGE, _TOO_SLOW, _WRONG = 413, 408, 400


class BodyLimitMiddleware:
    """Answers what sends too much, too slowly, or its length in two ways, with an error; then the connection ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_upload = scope["path"] == UPLOADS
        if (status := _fault(Headers(scope=scope), is_upload=is_upload)) is not None:
            await error_page(Request(scope), status, "", {"connection": "close"})(scope, receive, send)
            return
        body = _Body(receive, is_upload=is_upload)
        await self._app(scope, body.receive, send)


def _fault(headers: Headers, *, is_upload: bool) -> int | None:
    """Return the status of an answer to a body that need not be read to know what is wrong."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers and "content-length" in headers:
        return _WRONG  # a proxy may see another end of it than we do, and what is behind it as a request
    is_large = not length.isdecimal() or int(length[:20]) > MOST_BYTES
    return _TOO_LARGE if is_large and not is_upload else None


class _Body:
    """What a request sends, as it is received."""

    def __init__(self, receive: Receive, *, is_upload: bool) -> None:
        self._receive = receive
        self._is_upload = is_upload
        self._is_whole = False
        self._bytes = 0
        self._until_s = asyncio.get_running_loop().time() + (UPLOAD_S if is_upload else FORM_S)

    async def receive(self) -> Message:
        """Return what comes next. Raises HTTPException for too much, or too late."""
        if self._is_whole:
            return await self._receive()
        now_s = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(min(self._until_s, now_s + PAUSE_S)):
                message = await self._receive()
        except TimeoutError as error:
            raise HTTPException(_TOO_SLOW, headers={"connection": "close"}) from error
        self._is_whole = not message.get("more_body", False)
        self._bytes += len(message.get("body", b""))
        if self._bytes > MOST_BYTES and not self._is_upload:
            raise HTTPException(_TOO_LARGE, headers={"connection": "close"})
        return message
