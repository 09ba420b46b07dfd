"""How much one address may ask: a bucket of requests that fills up again steadily, so that nobody takes all."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.guarding.errors import error_page

_MOST_ADDRESSES: Final = 10_000
_FREE: Final = "/static/"
_TOO_MANY: Final = 429


class Buckets:
    """The requests that each address has left; of very many addresses those that asked last are known."""

    def __init__(self, per_second: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._most = float(at_once)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when that was

    def take(self, address: str) -> float:
        """Take one request of an address, and return in how many seconds it may ask again, 0 if it may ask now."""
        now = self._clock()
        left, since = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_second)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / self._per_second


class LimitedRequests:
    """Answers an address that asks too much with status 429 and when it may ask again.

    Whoever is on this machine is not limited. A reverse proxy here tells for whom it asks in `X-Forwarded-For`, which
    the server that listens has put in place of the proxy's own address before this sees it.
    """

    def __init__(self, app: ASGIApp, *, buckets: Buckets) -> None:
        self._app = app
        self._buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        wait = self._wait(scope)
        if not wait:
            await self._app(scope, receive, send)
            return
        headers = {"retry-after": str(math.ceil(wait))}
        answer = error_page(Request(scope), _TOO_MANY, "", headers)
        await answer(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        if scope["type"] != "http" or scope["path"].startswith(_FREE):
            return 0.0
        client = scope.get("client")
        address = limited_address(client[0]) if client else None
        return 0.0 if address is None else self._buckets.take(address)


def limited_address(peer: str) -> str | None:
    """Return what is limited for an address, of IPv6 its network; `None` for whoever is on this machine."""
    try:
        address = ip_address(peer)
    except ValueError:
        return None  # a socket of this machine has no address
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return None if address.is_loopback else str(ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
