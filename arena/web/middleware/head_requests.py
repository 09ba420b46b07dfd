"""Answers HEAD for whatever answers GET: the server sends the headers of that answer, and leaves its body out."""

from __future__ import annotations

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

_ENDLESS: Final = ("/live", "/events")


class HeadRequestMiddleware:
    """Passes HEAD on as GET, but for streams, which would never end."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_head = scope["type"] == "http" and scope["method"] == "HEAD" and not scope["path"].endswith(_ENDLESS)
        await self._app({**scope, "method": "GET"} if is_head else scope, receive, send)
