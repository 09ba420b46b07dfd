"""Finds out whether this process still serves who comes to one of its sockets.

gRPC takes its threads when it needs them. Where it got none, nobody is heard for a while or for ever, and a bot that
came meanwhile has done nothing wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

PATIENCE_S = 10.0
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of HTTP/2 begins: with this line, and a frame of settings without any."""
_FRAME_HEAD_BYTES = 9


async def answers(socket: Path) -> bool:
    """Return whether a server of HTTP/2 at a socket answers a greeting."""
    writer = None
    try:
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_unix_connection(socket)
            writer.write(_GREETING)
            await reader.readexactly(_FRAME_HEAD_BYTES)
    except (OSError, EOFError):  # a TimeoutError is an OSError
        return False
    finally:
        if writer is not None:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
    return True
