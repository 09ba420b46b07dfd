"""Lines to a server that a test can cut: for both sides, or so that only one of them learns of it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress


class Line:
    """A port of this machine that leads to another one."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: set[asyncio.StreamWriter] = set()
        self.address = ""
        self.connections = 0
        """How many there were."""

    def cut(self) -> None:
        """Break every connection off, without a word."""
        for writer in self._open:
            writer.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        ends = {writer, far_writer}
        self._open |= ends
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            self._open -= ends
            for end in ends:
                end.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()


@asynccontextmanager
async def open_line(port: int) -> AsyncIterator[Line]:
    """A line to a port, for the time of the block."""
    line = Line(port)
    server = await asyncio.start_server(line.carry, "127.0.0.1", 0)
    line.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        line.cut()


class HalfProxy:
    """It listens on a port of this machine, and passes on what is said both ways."""

    def __init__(self, port: int) -> None:
        """To the server at that port of this machine."""
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._clients: list[socket.socket] = []
        self._servers: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._clients.append(client)
                self._servers.append(server)
                threading.Thread(target=_pass_on, args=(client, server), daemon=True).start()
                threading.Thread(target=_pass_on, args=(server, client), daemon=True).start()

    def cut(self) -> None:
        """End every connection on the side of who connected; the server is told nothing."""
        while self._clients:
            _close(self._clients.pop())

    def close(self) -> None:
        self.cut()
        for one in (self._listener, *self._servers):
            _close(one)


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)


@contextmanager
def half_proxy(port: int) -> Iterator[HalfProxy]:
    """A way to the server at that port, open during the block."""
    proxy = HalfProxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
