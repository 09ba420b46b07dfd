"""Serves the pages over HTTP until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from arena.web.connections import MOST, TimedHttpProtocol
from arena.web.warm_up import warm_up
from engine.os_errors import os_error_text
from engine.text import Text

_FILES_BESIDE = 512
_TURN_S = 0.0005
"""So long a thread goes on while another wants the interpreter: a page that takes long delays short ones little."""
GRACE_S = 2
"""How long answers that go on, such as live streams, may go on once the pages are to stop."""


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate and its key, both files in PEM."""

    certificate: Path
    key: Path


class WebListenError(OSError):
    """An address cannot be listened on; the message names the remedy."""


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
                "web.cannot_listened_choose_another_address",
                "{host}:{port} cannot be listened on: {why}; choose another address with --address",
                host=host,
                port=port,
                why=why,
            )
        ) from error
    return listening


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
    _allow_files(MOST + _FILES_BESIDE)
    server = make_server(app, tls)
    sys.setswitchinterval(_TURN_S)
    warm_up(app)
    gc.collect()
    gc.freeze()  # all that is there now stays: to look through it again and again would hold up pages for 0.1 s
    asyncio.run(_serve(server, listening, on_ready, ends_with))


def _allow_files(count: int) -> None:
    """Let this process have as many files open as it serves connections, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


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
            _end_with(server, ends_with)
    await serving


def _end_with(server: uvicorn.Server, descriptor: int) -> None:
    """Have the server stop when nobody holds the other end of a pipe any more."""
    loop = asyncio.get_running_loop()

    def look() -> None:
        with suppress(BlockingIOError):
            if not os.read(descriptor, 4096):
                loop.remove_reader(descriptor)
                server.should_exit = True

    os.set_blocking(descriptor, False)
    loop.add_reader(descriptor, look)
