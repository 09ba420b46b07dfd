"""Peers that take nothing of what they are sent, HTTP/2 by hand: a bot of a service, and a client of a local server."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import ssl
import struct
import termios
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from arena.v1 import play_pb2

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _WINDOW = 0, 1, 3, 4, 6, 8
_END_HEADERS, _ACK, _END_STREAM = 4, 1, 1
_INITIAL_WINDOW = 4
_STREAM = 1


@dataclass(frozen=True, slots=True)
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes

    def encoded(self) -> bytes:
        head = len(self.payload).to_bytes(3, "big") + bytes((self.kind, self.flags))
        return head + self.stream.to_bytes(4, "big") + self.payload


def _header(name: str, value: str) -> bytes:
    """A header as HPACK writes one that no table knows; names and values are short."""
    return b"\0" + b"".join(bytes((len(text),)) + text.encode("ascii") for text in (name, value))


class DeafBot:
    """One stream on a connection of its own; `async with` connects and joins."""

    def __init__(self, port: int, certificate: Path, name: str, *, token: str = "ada") -> None:
        self.port = port
        self._tls = ssl.create_default_context(cafile=str(certificate))
        self._tls.set_alpn_protocols(["h2"])
        self._headers = {
            ":method": "POST",
            ":scheme": "https",
            ":path": "/arena.v1.PlayService/Play",
            ":authority": "localhost",
            "content-type": "application/grpc",
            "te": "trailers",
            "authorization": f"Bearer {token}",
        }
        self._join = play_pb2.Join(name=name, protocol_major=1, games=["*"], version="1")
        self.frames: list[Frame] = []
        """What the service sent."""
        self.ended = asyncio.Event()
        """The stream is over, from the side of the service."""

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=self._tls, server_hostname="localhost"
        )
        self._writer.write(_PREFACE)
        self._send(_SETTINGS, 0, 0, _INITIAL_WINDOW.to_bytes(2, "big") + bytes(4))
        self._send(_HEADERS, _END_HEADERS, _STREAM, b"".join(_header(*one) for one in self._headers.items()))
        join = play_pb2.PlayRequest(join=self._join).SerializeToString()
        self._send(_DATA, 0, _STREAM, b"\0" + len(join).to_bytes(4, "big") + join)
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._reading.cancel()
        self._writer.transport.abort()
        with suppress(asyncio.CancelledError):
            await self._reading

    def open_window(self) -> None:
        """Take everything from now on."""
        self._send(_WINDOW, 0, _STREAM, (1 << 20).to_bytes(4, "big"))

    @property
    def told(self) -> str:
        """The headers and trailers that arrived, as far as they are text; HPACK leaves what is long as it is."""
        return b"".join(frame.payload for frame in self.frames if frame.kind == _HEADERS).decode("ascii", "replace")

    @property
    def bytes_taken(self) -> int:
        """How much of the messages to it has arrived."""
        return sum(len(frame.payload) for frame in self.frames if frame.kind == _DATA)

    def _send(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        self._writer.write(Frame(kind, flags, stream, payload).encoded())

    async def _read(self) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            while True:
                self._take(await self._read_frame())
        self.ended.set()

    async def _read_frame(self) -> Frame:
        head = await self._reader.readexactly(9)
        payload = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
        return Frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)

    def _take(self, frame: Frame) -> None:
        self.frames.append(frame)
        if frame.kind in (_SETTINGS, _PING) and not frame.flags & _ACK:
            self._send(frame.kind, _ACK, 0, frame.payload if frame.kind == _PING else b"")
        is_last = frame.kind == _RESET or (frame.kind == _HEADERS and frame.flags & _END_STREAM)
        if frame.stream == _STREAM and is_last:
            self.ended.set()


_LARGEST = 2**31 - 1
_FIRST_WINDOW = 65_535


def call_and_read_nothing(path: str, method: str) -> socket.socket:
    """Call a method at a unix socket, and return the connection: nothing of it is freed until that is closed."""
    client = call_with_little_room(path, method)
    make_room(client)
    return client


def call_with_little_room(path: str, method: str) -> socket.socket:
    """Do that, but let no more than 65,535 bytes be sent before `make_room` is called."""
    fields = {":method": "POST", ":scheme": "http", ":path": method, ":authority": "arena", "te": "trailers"}
    fields["content-type"] = "application/grpc"
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    client.sendall(
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + _frame(_SETTINGS, 0, 0, b"")
        + _frame(_HEADERS, _END_HEADERS, 1, b"".join(map(_field, fields, fields.values())))
    )
    return client


def make_room(client: socket.socket) -> None:
    """Let any amount be sent."""
    client.sendall(
        _frame(_SETTINGS, 0, 0, struct.pack("!HI", _INITIAL_WINDOW, _LARGEST))
        + _frame(_WINDOW, 0, 0, struct.pack("!I", _LARGEST - _FIRST_WINDOW))
    )


def is_full(client: socket.socket) -> bool:
    """Return whether the sender of a long message, with any room, waits for these bytes to be taken."""
    waiting = fcntl.ioctl(client, termios.FIONREAD, struct.pack("i", 0))
    return bool(struct.unpack("i", waiting)[0] > _FIRST_WINDOW)


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def _field(name: str, value: str) -> bytes:
    """Return a header as HPACK writes one that is in no table: both texts are shorter than 127 bytes."""
    return b"\x00" + b"".join(bytes([len(text)]) + text.encode() for text in (name, value))
