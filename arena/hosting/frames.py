"""Frames messages for a pipe between two of our processes: a JSON head and a blob, each preceded by its length."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping
from typing import Any

_LENGTHS = struct.Struct(">II")
MAX_FRAME_BYTES = 64 * 1024 * 1024


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
