"""Refuses requests before any page sees them: by their host, address, size and pace, and by the page they come from.

Another site may have its name lead here, and a browser follows it. Such a page would count as one of ours: it could
read everything, and send every form (DNS rebinding). An address in digits cannot be had by such a trick, nor can
`localhost`; every other name must be one that the organiser gave.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote_to_bytes, urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.i18n.catalogue import words
from arena.web.middleware.errors import error_page
from arena.web.shared.visitor import language_of
from engine.translatable import Text

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
_LONGEST: Final = 8000
_TOO_LONG: Final = 414
_WRONG: Final = 400
_CONTROL: Final = frozenset(range(32)) | {127}
_TOO_LARGE, _TOO_SLOW = 413, 408
_MISDIRECTED: Final = 421
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?", re.ASCII)
_SHOWN: Final = 60
_OURS = ("same-origin", "none")


class HostCheckMiddleware:
    """Answers a request for a host of another name with an error; with `names` None it passes everything on."""

    def __init__(self, app: ASGIApp, *, names: Collection[str] | None) -> None:
        self._app = app
        self._names = None if names is None else frozenset(name.lower().rstrip(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "") if scope["type"] == "http" else ""
        if self._names is None or is_known(host, self._names):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        sentence = words(language_of(request)).say("error.unknown_host", host=host[:_SHOWN])
        await error_page(request, _MISDIRECTED, sentence)(scope, receive, send)


def is_known(host: str, names: Collection[str]) -> bool:
    """Return whether a header `Host` names this machine or one of some names; without it no browser asks."""
    name = _name_of(host)
    return not host or (name is not None and (name in names or _is_localhost(name) or _is_address(name)))


def is_this_machine(host: str) -> bool:
    """Return whether a header `Host` names the machine itself, as only its own programs and a proxy do."""
    name = _name_of(host) or ""
    return _is_localhost(name) or (_is_address(name) and ip_address(name).is_loopback)


def _name_of(host: str) -> str | None:
    found = _HOST.fullmatch(host)
    return None if found is None else found[1].strip("[]").lower().rstrip(".")


def _is_localhost(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class AddressCheckMiddleware:
    """Answers a request whose address is not well formed; passes the others on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, sentence = _address_fault(scope) if scope["type"] == "http" else (0, "")
        if not status:
            await self._app(scope, receive, send)
            return
        # The address itself is what is wrong: nothing that is written from it may hold it.
        plain = {**scope, "path": "/api/" if scope["path"].startswith("/api/") else "/", "query_string": b""}
        await error_page(Request(plain), status, sentence)(scope, receive, send)


def _address_fault(scope: Scope) -> tuple[int, str]:
    """Return the status and a sentence, or 0 and nothing if the address is well formed."""
    raw = scope.get("raw_path") or scope["path"].encode()
    query = scope["query_string"]
    if len(raw) + len(query) > _LONGEST:
        return _TOO_LONG, f"the address has more than {_LONGEST} characters; ask for less at once"
    if any(byte in _CONTROL for byte in (*unquote_to_bytes(raw), *unquote_to_bytes(query))):
        return _WRONG, "the address has control characters in it; leave them out"
    return 0, ""


class BodyLimitMiddleware:
    """Refuses a body that is too large, too slow, or has its length in two ways; then the connection ends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_upload = scope["path"] == UPLOADS
        if (status := _body_fault(Headers(scope=scope), is_upload=is_upload)) is not None:
            await error_page(Request(scope), status, "", {"connection": "close"})(scope, receive, send)
            return
        body = _Body(receive, is_upload=is_upload)
        await self._app(scope, body.receive, send)


def _body_fault(headers: Headers, *, is_upload: bool) -> int | None:
    """Return the status of an answer to a body that need not be read to know what is wrong."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers and "content-length" in headers:
        return _WRONG  # a proxy may see another end of it than we do, and what is behind it as a request
    is_large = not length.isdecimal() or int(length[:20]) > MOST_BYTES
    return _TOO_LARGE if is_large and not is_upload else None


class _Body:
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


def need_own_page(request: Request) -> None:
    """Raise an error 403 for a request that a page of another site sends.

    Browsers say where a request comes from; a program that says nothing is no browser, and acts for nobody else.
    """
    if _is_foreign(request):
        raise HTTPException(
            403,
            Text("this was sent by a page of another site, and nothing was done; use the pages here"),
        )


def _is_foreign(request: Request) -> bool:
    """Return whether another site sends this. What a browser makes of it counts most: a proxy may change the host."""
    if (site := request.headers.get("sec-fetch-site")) is not None:
        return site not in _OURS
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")
