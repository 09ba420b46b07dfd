"""Calls that come while a server shuts down, as it does when it was called too often."""

import asyncio
from pathlib import Path
from typing import Any

import grpc

from arena.referee.server import PlayServer

ROUNDS = 20
"""Whether a call has come out of the queue behind the one that was too many differs from time to time."""


def call_at_once(address: str, times: int) -> None:
    with grpc.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/no/such")
        for call in [method.future(b"") for _ in range(times)]:
            call.exception()


async def test_a_call_that_comes_meanwhile_is_dropped_without_a_word(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    for number in range(ROUNDS):
        server = PlayServer(most_calls=3)
        server.admit()
        address = f"unix:{tmp_path}/{number}"
        await server.start(address)
        await asyncio.to_thread(call_at_once, address, 20)
        await server.stop()
    assert told == []
