"""How much one address may ask: a bucket of requests that fills up again steadily, so that nobody takes all."""

from __future__ import annotations

import math
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.middleware.errors import error_page

_MOST_ADDRESSES: Final = 10_000
_FREE: Final = "/static/"
_DEAR: Final = re.compile(
    r"(/api/v1)?/matches/[^/]+/(frames\.json|verified|board\.svg|live\.json|story|check)|/tournaments/[^/]+/tournament\.arena"
)
"""What may take a second to make: a match is played again, and told; a tournament is written into a file."""
_PRICE: Final = 5
"""As so many requests a dear one counts."""
_MOST_AT_ONCE: Final = 128
"""So many requests of an address may be answered at the same time; each live match that is looked at is one."""
_BUSY_S: Final = 10.0
_TOO_MANY: Final = 429


class TokenBuckets:
    """The requests that each address has left; of very many addresses those that asked last are known."""

    def __init__(self, per_second: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._most = float(at_once)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when that was

    def take(self, address: str, price: float = 1.0) -> float:
        """Take the price of a request, and return in how many seconds the address may ask again, 0 if it may now."""
        now = self._clock()
        left, since = self._left.pop(address, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_second)
        price = min(price, self._most)
        self._left[address] = (left - price if left >= price else left, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return 0.0 if left >= price else (price - left) / self._per_second


class RateLimitMiddleware:
    """Answers an address that asks too much with status 429 and when it may ask again.

    Whoever is on this machine is not limited. A reverse proxy here tells for whom it asks in `X-Forwarded-For`, which
    the server that listens has put in place of the proxy's own address before this sees it.
    """

    def __init__(self, app: ASGIApp, *, buckets: TokenBuckets) -> None:
        self._app = app
        self._buckets = buckets
        self._answering: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_FREE):
            address = None
        else:
            client = scope.get("client")
            address = limited_address(client[0]) if client else None
        wait = 0.0
        if address is not None:
            is_busy, price = self._answering[address] >= _MOST_AT_ONCE, _PRICE if _DEAR.fullmatch(scope["path"]) else 1
            wait = _BUSY_S if is_busy else self._buckets.take(address, price)
        if address is None or not wait:
            with self._counted(address):
                await self._app(scope, receive, send)
            return
        headers = {"retry-after": str(math.ceil(wait))}
        answer = error_page(Request(scope), _TOO_MANY, "", headers)
        await answer(scope, receive, send)

    @contextmanager
    def _counted(self, address: str | None) -> Iterator[None]:
        """Count a request for as long as it is answered."""
        if address is None:
            yield
            return
        self._answering[address] += 1
        try:
            yield
        finally:
            self._answering[address] -= 1
            if not self._answering[address]:
                del self._answering[address]


def limited_address(peer: str) -> str | None:
    """Return what an address is limited by: itself, or its network for IPv6; `None` for this machine."""
    try:
        address = ip_address(peer)
    except ValueError:
        return None  # a socket of this machine has no address
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return None if address.is_loopback else str(ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)


def counted_address(peer: str) -> str:
    """Return what an address counts as where this machine is counted, too."""
    return limited_address(peer) or peer
