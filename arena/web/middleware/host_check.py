"""Refuses requests for names that are not ours: another site may have its name lead here, and a browser follows it.

Such a page would count as one of ours: it could read everything, and send every form (DNS rebinding). An address in
digits cannot be had by such a trick, nor can `localhost`; every other name must be one that the organiser gave.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.i18n.catalogue import words
from arena.web.middleware.errors import error_page
from arena.web.shared.visitor import language_of

_MISDIRECTED: Final = 421
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?", re.ASCII)
_SHOWN: Final = 60


class HostCheckMiddleware:
    """Answers a request for a host of another name with an error; with `names` None it passes everything on."""

    def __init__(self, app: ASGIApp, *, names: Collection[str] | None) -> None:
        self._app = app
        self._names = None if names is None else frozenset(name.lower().rstrip(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
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
