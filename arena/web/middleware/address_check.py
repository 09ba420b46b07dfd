"""Refuses addresses that no page has: too long ones, and such with control characters in them, however encoded."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.middleware.errors import error_page

_LONGEST: Final = 8000
_TOO_LONG: Final = 414
_WRONG: Final = 400
_CONTROL: Final = frozenset(range(32)) | {127}


class AddressCheckMiddleware:
    """Answers a request whose address is not well formed; passes the others on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        status, sentence = _fault(scope) if scope["type"] == "http" else (0, "")
        if not status:
            await self._app(scope, receive, send)
            return
        # The address itself is what is wrong: nothing that is written from it may hold it.
        plain = {**scope, "path": "/api/" if scope["path"].startswith("/api/") else "/", "query_string": b""}
        await error_page(Request(plain), status, sentence)(scope, receive, send)


def _fault(scope: Scope) -> tuple[int, str]:
    """Return the status and a sentence, or 0 and nothing if the address is well formed."""
    raw = scope.get("raw_path") or scope["path"].encode()
    query = scope["query_string"]
    if len(raw) + len(query) > _LONGEST:
        return _TOO_LONG, f"the address has more than {_LONGEST} characters; ask for less at once"
    if any(byte in _CONTROL for byte in (*unquote_to_bytes(raw), *unquote_to_bytes(query))):
        return _WRONG, "the address has control characters in it; leave them out"
    return 0, ""
