"""A way to a server that can be cut so that only one side learns of it, as a router cuts it that forgot who spoke."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


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
