"""The headers that keep a page from being misused; answers to HEAD, and to what is not answered when the pages stop.

The headers allow no script but our own, no other host, and no frame around a page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing inline and nothing from elsewhere: a name that is a script would not run even if it were not escaped."""
PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture that is looked at alone has its style inside, and nothing else."""
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_ONLY_SECURE: Final = "max-age=31536000"
_ENDLESS: Final = ("/live", "/events")
_UNAVAILABLE = 503
_SENTENCE = "The pages are being stopped; ask again when they are there.\n"


class SecurityHeadersMiddleware:
    """Adds the headers to every answer that does not bring its own."""

    def __init__(self, app: ASGIApp, *, is_secure: bool) -> None:
        self._app = app
        self._headers = {**HEADERS, **({"strict-transport-security": _ONLY_SECURE} if is_secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send if scope["type"] != "http" else send_with_headers)


class HeadRequestMiddleware:
    """Passes HEAD on as GET, except for streams, which would never end; the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_head = scope["type"] == "http" and scope["method"] == "HEAD" and not scope["path"].endswith(_ENDLESS)
        await self._app({**scope, "method": "GET"} if is_head else scope, receive, send)


class ShutdownMiddleware:
    """Answers with one sentence what the server breaks off when it stops. It is the outermost middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except asyncio.CancelledError:  # nobody but the server that stops cancels a whole request
            if scope["type"] != "http":
                raise
            if not is_begun:
                headers = {"connection": "close", "cache-control": "no-store"}
                await PlainTextResponse(_SENTENCE, _UNAVAILABLE, headers)(scope, receive, send)
