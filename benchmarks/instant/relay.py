"""The HTTP/2 end of one bot in a process of its own: whole messages go on over a plain socket, each after its length.

Nothing of the arena uses it; `benchmarks.hop` measures what it would cost.
"""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc

LENGTH = struct.Struct(">I")


async def read_message(reader: asyncio.StreamReader) -> bytes:
    """Return the next message. Raises IncompleteReadError at the end."""
    (size,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    return await reader.readexactly(size)


def write_message(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Send a message."""
    writer.write(LENGTH.pack(len(data)) + data)


async def main(onward: str) -> None:
    """Serve one bot at ARENA_ADDRESS, and pass on to the socket `onward` what it says."""
    over = asyncio.Event()

    async def pass_on(requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        reader, writer = await asyncio.open_unix_connection(onward)

        async def to_the_arena() -> None:
            async for message in requests:
                write_message(writer, message)

        there = asyncio.create_task(to_the_arena())
        try:
            while True:
                await context.write(await read_message(reader))
        except asyncio.IncompleteReadError:
            over.set()
        finally:
            there.cancel()
            writer.close()

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(pass_on)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Echo", {"Echo": handler}),))
    server.add_insecure_port(os.environ["ARENA_ADDRESS"])
    await server.start()
    await over.wait()
    await server.stop(0)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
