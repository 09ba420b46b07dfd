"""Pipes between two of our processes: framed messages, and a heartbeat that ends whoever does not answer.

A message is a JSON head and a blob, each preceded by its length. A launcher or a bot proxy that is stopped and not dead
would keep whoever waits for it waiting for ever.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

_LENGTHS = struct.Struct(">II")
MAX_FRAME_BYTES = 64 * 1024 * 1024
BEAT_S = 2.0
"""How often it is asked whether it goes on."""
SILENCE_S = 20.0
"""One that has not answered for so long is stopped, or its disk hangs."""


class FrameError(Exception):
    """The other side wrote something that is not a message."""


def encode_frame(head: Mapping[str, Any], blob: bytes = b"") -> bytes:
    """Return one message as bytes; `read_frame` is the inverse."""
    text = json.dumps(head).encode()
    return _LENGTHS.pack(len(text), len(blob)) + text + blob


async def read_frame(reader: asyncio.StreamReader) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message, or None at the end of the stream, even in the middle of one. Raises FrameError."""
    try:
        head_size, blob_size = _LENGTHS.unpack(await reader.readexactly(_LENGTHS.size))
        if head_size + blob_size > MAX_FRAME_BYTES:
            raise FrameError(f"a message of {head_size + blob_size} bytes; something else wrote to the pipe")
        head = await reader.readexactly(head_size)
        blob = await reader.readexactly(blob_size)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    try:
        return json.loads(head), blob
    except ValueError as error:
        raise FrameError(f"no message: {head[:80]!r}") from error


class HeartbeatWatch:
    """Measures for how long nothing was heard. Time in which this process did not go on itself does not count."""

    def __init__(self) -> None:
        self._silent_s = 0.0

    def note_answer(self) -> None:
        """Note that something was heard."""
        self._silent_s = 0.0

    async def wait(self, ask: Callable[[], None]) -> None:
        """Ask again and again, and return when nothing has been heard for too long."""
        while self._silent_s < SILENCE_S:
            ask()
            await asyncio.sleep(BEAT_S)
            self._silent_s += BEAT_S
