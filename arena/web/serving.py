"""Serves the pages over HTTP until it is told to stop, and hangs up on connections that hold it up."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.middleware.rate_limits import limited_address
from arena.web.middleware.response_headers import HEADERS
from arena.web.warm_up import warm_up
from engine.os_errors import os_error_text
from engine.translatable import Text

GRACE_S = 2
"""How long answers that go on, such as live streams, may go on once the pages are to stop."""
HEAD_S: Final = 10.0
"""Within which the first line and the headers of a request are here, from the connection or the last answer on."""
READ_S: Final = 60.0
"""How long somebody may read nothing of an answer that waits for him."""
MOST_OF_AN_ADDRESS: Final = 256
MOST_CONNECTIONS: Final = 4096
"""Connections at once; more are closed as they come, so that files can still be opened."""
_FILES_BESIDE = 512
_TURN_S = 0.0005
"""So long a thread goes on while another wants the interpreter: a page that takes long delays short ones little."""
_NO_HTTP: Final = "This is no request that a browser sends; nothing was done. Open the address in a browser.\n"
_LINGER: Final = struct.pack("ii", 1, 0)
_CONNECTIONS: Final[Counter[str]] = Counter()


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate and its key, both files in PEM."""

    certificate: Path
    key: Path


class WebListenError(OSError):
    """An address cannot be listened on; the message names the remedy."""


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
            _CONNECTIONS[self._address] += 1
        if len(self.connections) > MOST_CONNECTIONS or _CONNECTIONS[self._address or ""] > MOST_OF_AN_ADDRESS:
            self._hang_up()
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no longer."""
        super().connection_lost(exc)
        _cancel(self._asking)
        _cancel(self._reading)
        if self._address is not None:
            _CONNECTIONS[self._address] -= 1
            if not _CONNECTIONS[self._address]:
                del _CONNECTIONS[self._address]
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
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 lets the system choose. Raises WebListenError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        kind, type_, protocol, _, place = found
        # Of a socket that does not name its protocol, asyncio does not know that answers may be sent at once: a browser
        # would wait 40 ms for the second part of each.
        listening = socket.socket(kind, type_, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(512)
    except OSError as error:
        why = os_error_text(error)
        raise WebListenError(
            Text(
                "{host}:{port} cannot be listened on: {why}; choose another address with --address",
                host=host,
                port=port,
                why=why,
            )
        ) from error
    return listening


def serve(
    app: FastAPI,
    listening: socket.socket,
    on_ready: Callable[[], None],
    *,
    tls: Tls | None = None,
    ends_with: int | None = None,
) -> None:
    """Serve an application on a listening socket until SIGINT or SIGTERM; `on_ready` is called when it answers.

    With a certificate it is served by https. It ends as well when the pipe `ends_with`, a descriptor, is closed.
    """
    count = MOST_CONNECTIONS + _FILES_BESIDE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    server = make_server(app, tls)
    sys.setswitchinterval(_TURN_S)
    warm_up(app)
    gc.collect()
    gc.freeze()  # all that is there now stays: to look through it again and again would hold up pages for 0.1 s
    asyncio.run(_serve(server, listening, on_ready, ends_with))


class _Server(uvicorn.Server):
    """A server that ends streams before it waits for its answers to end.

    `app.state.on_stop` holds what is to be called then.
    """

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, within about GRACE_S. A second signal changes nothing: to break that off would leave a trace."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for end in self.config.app.state.on_stop:  # type: ignore[union-attr] # it is the application of `serve`
            end()
        await super().shutdown(sockets)


def make_server(app: FastAPI, tls: Tls | None = None) -> uvicorn.Server:
    """Return a server of an application, which listens nowhere yet."""
    config = uvicorn.Config(
        app,
        http=TimedHttpProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        lifespan="on",
        ws="none",
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else tls.key,
    )
    return _Server(config)


async def _serve(
    server: uvicorn.Server, listening: socket.socket, on_ready: Callable[[], None], ends_with: int | None
) -> None:
    serving = asyncio.create_task(server.serve([listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        on_ready()
        if ends_with is not None:
            loop = asyncio.get_running_loop()

            def look() -> None:
                with suppress(BlockingIOError):
                    if not os.read(ends_with, 4096):
                        loop.remove_reader(ends_with)
                        server.should_exit = True

            os.set_blocking(ends_with, False)
            loop.add_reader(ends_with, look)
    await serving
