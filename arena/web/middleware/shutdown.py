"""Answers what is not answered yet when the pages are to stop, in one sentence instead of a trace of the program."""

from __future__ import annotations

import asyncio

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_UNAVAILABLE = 503
_SENTENCE = "The pages are being stopped; ask again when they are there.\n"


class ShutdownMiddleware:
    """Lets the server end an answer that takes longer than the pages have left; outside of everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
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
