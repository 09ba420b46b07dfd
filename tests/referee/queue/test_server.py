"""A server of the queue alone: a call that breaks off is nobody's fault, and a handler that fails is the arena's."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest

from arena.referee.queue.call import QueueCall
from arena.referee.queue.loop import QueueLoop
from arena.referee.queue.server import QueueServer


def call_once(address: str) -> grpc.StatusCode | None:
    with grpc.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/any")
        error = method.future(b"").exception()
    return error.code() if isinstance(error, grpc.RpcError) and isinstance(error, grpc.Call) else None


async def code_of(handler: Callable[[QueueCall], Awaitable[None]], directory: Path) -> grpc.StatusCode | None:
    """Return how a call of a client ends that is served by this handler."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QueueLoop)
    server = QueueServer(loop, lambda _: handler, ())
    address = f"unix:{directory}/door"
    await server.start(address)
    code = await asyncio.to_thread(call_once, address)
    await server.stop(None)
    return code


@pytest.mark.parametrize("error", [grpc.aio.InternalError, grpc.aio.UsageError])
async def test_a_call_that_broke_off_while_it_was_served_ends_without_a_word(
    error: type[Exception], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def serve(_: QueueCall) -> None:
        raise error("the call was broken off")

    assert await code_of(serve, tmp_path) is grpc.StatusCode.CANCELLED
    assert caplog.records == []


async def test_a_handler_that_fails_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def serve(_: QueueCall) -> None:
        raise ZeroDivisionError

    assert await code_of(serve, tmp_path) is grpc.StatusCode.UNKNOWN
    assert [(record.levelno, record.message) for record in caplog.records] == [(logging.ERROR, "a call of /any failed")]
