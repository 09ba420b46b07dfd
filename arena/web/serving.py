"""Serves the pages over HTTP until it is told to stop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

GRACE_S = 2
"""How long answers that go on, such as live streams, may go on once the pages are to stop."""


class WebListenError(OSError):
    """An address cannot be listened on; the message names the remedy."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 lets the system choose. Raises WebListenError."""
    try:
        kind, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.socket(kind, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(512)
    except OSError as error:
        why = error.strerror or str(error)
        raise WebListenError(f"{host}:{port} cannot be listened on: {why}; choose another address") from error
    return listening


def serve(app: FastAPI, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve an application on a listening socket until SIGINT or SIGTERM; `on_ready` is called when it answers."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        lifespan="on",
        ws="none",
    )
    asyncio.run(_serve(uvicorn.Server(config), listening, on_ready))


async def _serve(server: uvicorn.Server, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    serving = asyncio.create_task(server.serve([listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        on_ready()
    await serving
