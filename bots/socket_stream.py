"""Carries a session over the socket that the arena handed to this process: the cheapest road, without gRPC.

Each message has its length in front, in 4 bytes, little-endian.
"""

from __future__ import annotations

import gc
import socket
import time

from arena.v1 import play_pb2
from bots.errors import ArenaError
from bots.session import PlaySession

VARIABLE = "ARENA_STREAM_FD"
MAX_FRAME_BYTES = 64 << 20
_LENGTH_BYTES = 4
_READ_BYTES = 65_536


class SocketStream:
    """The stream of this process. It is opened when it is made, which raises ArenaError if the descriptor is not it."""

    def __init__(self, number: str) -> None:
        try:
            self._socket = socket.socket(fileno=int(number))
            self._socket.set_inheritable(False)  # what the bot starts shall not hold it
            self._socket.setblocking(True)
        except (ValueError, OverflowError, OSError) as error:
            raise ArenaError(
                f"{VARIABLE} is {number!r}, which is no open socket of this process ({error}); leave descriptors that "
                "you did not open, or unset the variable to use gRPC"
            ) from None
        self._buffer = bytearray()

    def play(self, session: PlaySession) -> None:
        """Play until the arena closes the stream; to be called once.

        Raises ArenaError if it refuses the bot, and whatever the session raises.
        """
        with self._socket:
            join = session.join()
            # What is loaded by now stays: a garbage collection during a decision need not look through it.
            gc.freeze()
            self._send(join)
            while (data := self._receive()) is not None:
                answer = session.receive(play_pb2.PlayResponse.FromString(data), time.monotonic())
                if answer is not None:
                    self._send(answer)
        if not session.has_joined:
            raise ArenaError("the arena closed the stream before it let the bot in; `arena match show` tells why")

    def _send(self, request: play_pb2.PlayRequest) -> None:
        """Send a message, unless the stream has ended: then there is nothing more to receive either."""
        data = request.SerializeToString()
        try:
            self._socket.sendall(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
        except OSError:
            return

    def _receive(self) -> bytes | None:
        """Return the next message, or None when the stream has ended. Raises ArenaError."""
        if not self._fill(_LENGTH_BYTES):
            return None
        size = int.from_bytes(self._buffer[:_LENGTH_BYTES], "little")
        if size > MAX_FRAME_BYTES:
            raise ArenaError(f"the arena sent a message of {size} bytes; something else wrote to {VARIABLE}")
        end = _LENGTH_BYTES + size
        if not self._fill(end):
            return None
        message = bytes(memoryview(self._buffer)[_LENGTH_BYTES:end])
        del self._buffer[:end]
        return message

    def _fill(self, size: int) -> bool:
        """Read until so many bytes are there, and return False if the stream ends before."""
        while len(self._buffer) < size:
            try:
                data = self._socket.recv(_READ_BYTES)
            except OSError:
                return False
            if not data:
                return False
            self._buffer += data
        return True
