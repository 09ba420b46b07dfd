"""A listener for those who keep the service running: /metrics for Prometheus, /health for whoever watches it.

It speaks as much HTTP/1.1 as these two need: a GET is answered and the connection closed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from arena.service.addresses import Address
from arena.service.errors import ListenError
from arena.service.health import Health
from arena.service.listening import explain
from arena.service.metrics import CONTENT_TYPE, Metrics

_PATIENCE_S = 10.0
_MOST_HEAD_BYTES = 8192
_JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class AdminResponse:
    """What is answered to a request."""

    status: HTTPStatus
    content_type: str
    body: str

    def encode(self) -> bytes:
        """Return the answer as it goes over the connection, with the end of which it ends."""
        body = self.body.encode()
        head = (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\nContent-Type: {self.content_type}\r\n"
            f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        )
        return head.encode("ascii") + body


class AdminListener:
    """Serves metrics and health on an address of their own."""

    def __init__(self, metrics: Metrics, health: Health, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called before health is told, to look at what nobody watches."""
        self._metrics = metrics
        self._health = health
        self._check = check
        self._server: asyncio.Server | None = None

    async def start(self, address: Address) -> Address:
        """Listen, and return the address with the port that was chosen. Raises ListenError."""
        try:
            self._server = await asyncio.start_server(self._serve, address.host, address.port, limit=_MOST_HEAD_BYTES)
        except OSError as error:
            raise ListenError(explain(address, error, "--admin-address")) from error
        return Address(address.host, self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self.answer(head).encode())
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            pass  # whoever does not ask in time, or at all, gets nothing
        finally:
            writer.close()

    def answer(self, head: bytes) -> AdminResponse:
        """Return the answer to the head of a request."""
        method, _, rest = head.partition(b"\r\n")[0].decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method != "GET":
            return AdminResponse(HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, "only GET is answered\n")
        if path == "/metrics":
            return AdminResponse(HTTPStatus.OK, CONTENT_TYPE, self._metrics.render())
        if path == "/health":
            return self._health_response()
        return AdminResponse(HTTPStatus.NOT_FOUND, _TEXT, "there are /metrics and /health\n")

    def _health_response(self) -> AdminResponse:
        self._check()
        problems = self._health.problems()
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        body = json.dumps({"healthy": not problems, "problems": problems}, indent=2) + "\n"
        return AdminResponse(status, _JSON, body)
