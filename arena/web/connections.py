"""What a connection may do before it asks anything: wait a moment, and not be one of too many of its address."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter
from contextlib import suppress
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.middleware.rate_limits import limited_address
from arena.web.middleware.response_headers import HEADERS

HEAD_S: Final = 10.0
"""Within which the first line and the headers of a request are here, from the connection or the last answer on."""
READ_S: Final = 60.0
"""How long somebody may read nothing of an answer that waits for him."""
MOST_OF_AN_ADDRESS: Final = 256
MOST: Final = 4096
"""Connections at once; more are closed as they come, so that files can still be opened."""
_NO_HTTP: Final = "This is no request that a browser sends; nothing was done. Open the address in a browser.\n"
_AT_ONCE: Final = struct.pack("ii", 1, 0)
_HELD: Final[Counter[str]] = Counter()


class TimedHttpProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on whoever holds a connection and asks nothing, or asks it a byte at a time.

    Whoever is on this machine may have as many connections as there are; a reverse proxy is there.
    """

    _address: str | None = None
    _asking: asyncio.TimerHandle | None = None
    """Runs while it is to ask something."""
    _reading: asyncio.TimerHandle | None = None
    """Runs while it is to read something."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, or hang up if there are too many."""
        super().connection_made(transport)
        self._address = limited_address(self.client[0]) if self.client else None
        if self._address is not None:
            _HELD[self._address] += 1
        if len(self.connections) > MOST or _HELD[self._address or ""] > MOST_OF_AN_ADDRESS:
            self._hang_up()
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no longer."""
        super().connection_lost(exc)
        _cancel(self._asking)
        _cancel(self._reading)
        if self._address is not None:
            _HELD[self._address] -= 1
            if not _HELD[self._address]:
                del _HELD[self._address]
            self._address = None

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait_for_head()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - what uvicorn would say
        """Answer what is no HTTP, or not to be told apart from a trick; it has no language, and its answer no page."""
        kept = {**HEADERS, "content-type": "text/plain; charset=utf-8", "connection": "close"}
        lines = ["HTTP/1.1 400 Bad Request", *(f"{name}: {value}" for name, value in kept.items()), "", _NO_HTTP]
        self.transport.write("\r\n".join(lines).encode())
        self.transport.close()

    def pause_writing(self) -> None:
        """Hang up later, if nothing is read until then."""
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        """Go on: what waited was read."""
        super().resume_writing()
        _cancel(self._reading)

    def _wait_for_head(self) -> None:
        _cancel(self._asking)
        if not self.transport.is_closing():
            self._asking = self.loop.call_later(HEAD_S, self._give_up)

    def _wait_for_reader(self) -> None:
        _cancel(self._reading)
        self._reading = self.loop.call_later(READ_S, self._hang_up)

    def _give_up(self) -> None:
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            self._wait_for_reader()
            self.transport.close()  # what is on its way is still sent, for a while

    def _hang_up(self) -> None:
        """End the connection at once: what the system keeps for it, unread, goes as well."""
        plug = self.transport.get_extra_info("socket")
        with suppress(OSError):
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
