"""Carries a session over grpc.aio: the road with any version of grpcio; `bots.queue_stream` is the cheap one.

Whatever happens, the call is cancelled and the channel closed: a process that leaves a stream open can hang at exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import time

# Before grpc is imported: a bot that starts children must not wait for handlers it does not need.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc

from arena.v1 import play_pb2, play_pb2_grpc
from bots.errors import ArenaError
from bots.session import PlaySession

# An http_proxy in the environment would catch even 127.0.0.1.
OPTIONS = (("grpc.enable_http_proxy", 0),)
# How an arena that shuts down, or is killed, ends a stream.
ENDED = (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)

_BEGIN_S = 0.2
_LOOKS = 4
"""How often the event loop goes round until it has seen what has come meanwhile; twice is enough, as measured."""

_Call = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]


async def play(session: PlaySession, address: str, token: str) -> None:
    """Play until the arena closes the stream.

    Raises ArenaError if it cannot be reached or refuses the bot, and whatever the session raises.
    """
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        stub = play_pb2_grpc.PlayServiceStub(channel)  # type: ignore[no-untyped-call]
        call: _Call = stub.Play(metadata=(("authorization", f"Bearer {token}"),))
        try:
            await _converse(session, call)
        except grpc.aio.AioRpcError as error:
            if not (session.has_joined and error.code() in ENDED):
                raise ArenaError(explain(error.code(), error.details(), address)) from None
        except asyncio.CancelledError:
            # The arena cancelled the call; a cancelled task of ours goes on unwinding instead.
            if not call.cancelled() or ((task := asyncio.current_task()) is not None and task.cancelling()):
                raise
        finally:
            call.cancel()


async def _converse(session: PlaySession, call: _Call) -> None:
    join = session.join()
    # What is loaded by now stays: a garbage collection in the middle of a decision need not look through it.
    gc.freeze()
    # The arena first sends its metadata, or its refusal of the token.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_BEGIN_S):
            await call.initial_metadata()
    await _write(call, join)
    while isinstance(response := await call.read(), play_pb2.PlayResponse):
        answer = session.receive(response, time.monotonic())
        if answer is not None and not await _write(call, answer):
            return


async def _write(call: _Call, request: play_pb2.PlayRequest) -> bool:
    """Write a request, unless the stream has ended: what is read next tells why. Return False if the write failed.

    After a write that fails, grpc no longer tells why the stream ended. So news that came while the bot was thinking,
    and the event loop stood still, are heard first.
    """
    for _ in range(_LOOKS):
        await asyncio.sleep(0)
    if call.done():
        return True
    try:
        await call.write(request)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        return False
    return True


def explain(code: grpc.StatusCode, details: str | None, address: str) -> str:
    """Return why a stream ended, in a sentence."""
    if code is grpc.StatusCode.UNAVAILABLE:
        return f"no arena answers at {address}: {details}"
    return f"the arena at {address} ended the stream: {code.name}: {details}"
