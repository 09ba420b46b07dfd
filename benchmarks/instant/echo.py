"""The other end of a bare bidirectional stream: answers every message with so many bytes, and does nothing else."""

from __future__ import annotations

import asyncio
import os
import sys

import grpc


async def main(size: int) -> None:
    """Answer until the stream ends."""
    async with grpc.aio.insecure_channel(os.environ["ARENA_ADDRESS"]) as channel:
        call: grpc.aio.StreamStreamCall[bytes, bytes] = channel.stream_stream("/bare.Echo/Echo")()
        answer = b"x" * size
        await call.write(b"ready")
        while await call.read() is not grpc.aio.EOF:
            await call.write(answer)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
