"""Slows down whoever tries tokens or codes: after some failures from one address it learns nothing for a while."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

import grpc

from arena.service.server.errors import CallError
from engine.text import Text

_WINDOW_S = 60.0
_MOST_ADDRESSES = 10_000
"""Older ones are forgotten, so that many addresses cannot fill the memory."""
_MOST_KNOWN = 10_000


class LoginGuard:
    """Counts failed logins by address, of IPv6 by its /64, all of which belongs to whoever has one address of it.

    Tokens that opened the service before are not held up by their neighbours.
    """

    def __init__(self, most_failures: int = 10, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most_failures
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._known: OrderedDict[str, None] = OrderedDict()

    def check(self, address: str, digest: str = "") -> None:
        """Raise CallError (RESOURCE_EXHAUSTED), with the time to wait, if the address failed too often."""
        failures = self._recent(_counted(address))
        if len(failures) < self._most or digest in self._known:
            return
        wait_s = max(1, round(failures[0] + _WINDOW_S - self._clock()))
        raise CallError(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "TOO_MANY_LOGINS",
            Text(
                "service.too_many_failed_logins_try",
                "too many failed logins from {address}; try again in {seconds} s, with the right token",
                address=address or "this machine",
                seconds=wait_s,
            ),
            {"retry_after_s": str(wait_s)},
        )

    def note_failure(self, address: str, digest: str = "") -> None:
        """Count a failed login, and forget that its token was ever good."""
        self._known.pop(digest, None)
        address = _counted(address)
        self._recent(address).append(self._clock())
        self._failures.move_to_end(address)
        while len(self._failures) > _MOST_ADDRESSES:
            self._failures.popitem(last=False)

    def note_success(self, digest: str) -> None:
        """Remember that a token is good."""
        self._known[digest] = None
        self._known.move_to_end(digest)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

    def _recent(self, address: str) -> deque[float]:
        """Return the times of the failures that still count; the last ones suffice."""
        failures = self._failures.setdefault(address, deque(maxlen=self._most))
        oldest = self._clock() - _WINDOW_S
        while failures and failures[0] <= oldest:
            failures.popleft()
        return failures


def _counted(address: str) -> str:
    """Return for what an address counts."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(ip_network((found, 64), strict=False))
    return address
