"""A client of gRPC that calls, lets any amount be sent, and reads none of it: as one does whose process is stopped."""

from __future__ import annotations

import fcntl
import socket
import struct
import termios

_SETTINGS, _HEADERS, _WINDOW_UPDATE = 4, 1, 8
_END_HEADERS = 4
_LARGEST = 2**31 - 1
_FIRST_WINDOW = 65_535
_WINDOW_OF_STREAMS = 4


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
        _frame(_SETTINGS, 0, 0, struct.pack("!HI", _WINDOW_OF_STREAMS, _LARGEST))
        + _frame(_WINDOW_UPDATE, 0, 0, struct.pack("!I", _LARGEST - _FIRST_WINDOW))
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
