"""The least of HTTP/2 that a stream of PlayService needs, so that a bot can break it off where no library would."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Self

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 4, 6, 8, 9
ACK, END_STREAM, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4
WINDOW = 1 << 24
STREAM = 1


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def header(name: str, value: str) -> bytes:
    """A literal that is not indexed (RFC 7541, 6.2.2)."""
    return b"\0" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()


def request_fields(path: str, token: str) -> dict[str, str]:
    """The header fields of a call."""
    return {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
        "authorization": f"Bearer {token}",
    }


class RawStream:
    """A stream of its own on a connection of its own."""

    def __init__(self, address: str, token: str) -> None:
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(address.removeprefix("unix:"))
        fields = request_fields("/arena.v1.PlayService/Play", token)
        block = b"".join(header(name, value) for name, value in fields.items())
        self.link.sendall(
            PREFACE
            + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, WINDOW))
            + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW))
            + frame(HEADERS, END_HEADERS, STREAM, block)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.link.close()

    @staticmethod
    def frame_of(message: bytes) -> bytes:
        return frame(DATA, 0, STREAM, struct.pack(">BI", 0, len(message)) + message)

    def send_bytes(self, data: bytes) -> None:
        self.link.sendall(data)

    def send(self, message: bytes) -> None:
        self.send_bytes(self.frame_of(message))

    def send_half(self, message: bytes) -> None:
        """The announcement of a whole message, and half of it."""
        half = message[: len(message) // 2]
        self.link.sendall(frame(DATA, 0, STREAM, struct.pack(">BI", 0, len(message)) + half))

    def messages(self) -> Iterator[bytes]:
        """What the server says, until it ends the connection."""
        received = b""
        for kind, flags, payload in self._frames():
            if kind == SETTINGS and not flags & ACK:
                self.link.sendall(frame(SETTINGS, ACK, 0, b""))
            elif kind == PING and not flags & ACK:
                self.link.sendall(frame(PING, ACK, 0, payload))
            elif kind == DATA:
                received += payload
                while len(received) >= 5 and len(received) >= 5 + (size := struct.unpack_from(">I", received, 1)[0]):
                    yield received[5 : 5 + size]
                    received = received[5 + size :]

    def _frames(self) -> Iterator[tuple[int, int, bytes]]:
        while head := self._read(9):
            (size,) = struct.unpack(">I", b"\0" + head[:3])
            yield head[3], head[4], self._read(size)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.link.recv(size - len(data))
            if not piece:
                return b""
            data += piece
        return data
