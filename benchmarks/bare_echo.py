"""A bare gRPC echo: what a round trip costs both ends together, the baseline beside which other figures are kept."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc

from arena.hosting.user_directories import SOCKET_NAME, runtime_directory

PROGRAM = Path(__file__).with_name("instant") / "echo.py"
QUESTION_BYTES = 160
"""About what a `Decide` of The Foreign King takes; it stays, so that baselines of years can be compared."""
ANSWER_BYTES = 24
WARMING = 500
"""Round trips before anything counts: interpreters get faster."""


async def bare_us(seconds: float) -> float:
    """Return the microseconds of processor time of one round trip, of both processes, threads included.

    Both ends are `grpc.aio` as it comes, on asyncio: a way of the arena's own that is cheaper does not change it.
    """
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(runtime_directory())
        echo = _Echo()
        server = grpc.aio.server()
        handler: Any = grpc.stream_stream_rpc_method_handler(echo.serve)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bare.Echo", {"Echo": handler}),))
        address = f"unix:{directory / SOCKET_NAME}"
        server.add_insecure_port(address)
        await server.start()
        stack.push_async_callback(server.stop, 1)
        words = [sys.executable, str(PROGRAM), str(ANSWER_BYTES)]
        process = await asyncio.create_subprocess_exec(*words, env={**os.environ, "ARENA_ADDRESS": address})
        stack.push_async_callback(process.wait)
        stack.callback(echo.end)
        await echo.trips(0.0, WARMING)
        before = _used_s(process.pid)
        made = await echo.trips(seconds, 1)
        return (_used_s(process.pid) - before) / made * 1e6


class _Echo:
    """The server's end of the one stream."""

    def __init__(self) -> None:
        self._wanted: asyncio.Queue[tuple[float, int]] = asyncio.Queue()
        self._made: asyncio.Queue[int] = asyncio.Queue()

    async def serve(self, _requests: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Make round trips as they are wanted, until none are."""
        await context.read()
        message = b"x" * QUESTION_BYTES
        while True:
            seconds, least = await self._wanted.get()
            if not least:
                return
            end, made = time.perf_counter() + seconds, 0
            while made < least or time.perf_counter() < end:
                await context.write(message)
                await context.read()
                made += 1
            self._made.put_nowait(made)

    async def trips(self, seconds: float, least: int) -> int:
        """Make round trips for so long, and at least so many; return how many."""
        self._wanted.put_nowait((seconds, least))
        return await self._made.get()

    def end(self) -> None:
        """End the stream."""
        self._wanted.put_nowait((0.0, 0))


def _used_s(pid: int) -> float:
    return time.process_time() + time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3)
