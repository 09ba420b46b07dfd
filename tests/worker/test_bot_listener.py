"""Where one bot connects, a socket or a port: one connection is enough, and whatever comes besides is counted."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.hosting.user_directories import runtime_directory
from arena.match.result import FaultCause
from arena.referee.server import JoinError
from arena.v1 import play_pb2
from arena.worker.bot_listener import MOST_CONNECTIONS, MOST_CONNECTIONS_SEEN, DirectListener
from tests.support.patience import PATIENCE_S

listing = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors cannot be listed here")

JOIN = play_pb2.PlayRequest(join=play_pb2.Join(name="bot", protocol_major=1, games=("*",))).SerializeToString()


@asynccontextmanager
async def open_listener(kind: str) -> AsyncIterator[DirectListener]:
    with runtime_directory() as directory:
        listener = (
            await DirectListener.open_port("127.0.0.1")
            if kind == "port"
            else await DirectListener.open_socket(directory)
        )
        try:
            yield listener
        finally:
            listener.dismiss()
            await listener.close()


@pytest.fixture(params=["socket", "port"])
async def listener(request: pytest.FixtureRequest) -> AsyncIterator[DirectListener]:
    async with open_listener(str(request.param)) as listener:
        yield listener


def connect(listener: DirectListener) -> socket.socket:
    """Open a connection. Raises OSError if nobody is let in."""
    if listener.socket is None:
        host, port = listener.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=PATIENCE_S)
    one = socket.socket(socket.AF_UNIX)
    try:
        one.connect(str(listener.socket))
    except OSError:
        one.close()
        raise
    return one


@asynccontextmanager
async def call_of(listener: DirectListener, token: str) -> AsyncIterator[Any]:
    """A stream, let in or not; every one has a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(listener.address, options=options) as channel:
        yield channel.stream_stream("/arena.v1.PlayService/Play")(metadata=(("authorization", f"Bearer {token}"),))


async def await_flood(listener: DirectListener) -> JoinError:
    """Look at the listener until its bot is disconnected, and return why."""
    async with asyncio.timeout(PATIENCE_S):
        while not listener.admission.stream.done():
            listener.look()
            await asyncio.sleep(0.01)
    error = listener.admission.stream.exception()
    assert isinstance(error, JoinError)
    return error


@listing
async def test_a_door_is_shut_once_its_bot_is_inside_and_the_bot_goes_on(listener: DirectListener) -> None:
    async with call_of(listener, listener.admission.token) as call, asyncio.timeout(PATIENCE_S):
        await call.write(JOIN)
        stream = await listener.admission.stream
        await asyncio.sleep(0)  # what is told of it is told in the next turn
        with pytest.raises(ConnectionRefusedError):
            connect(listener)
        assert await stream.first_message == JOIN
        await stream.send(b"still here")
        assert await call.read() == b"still here"


@listing
async def test_a_stranger_at_a_port_does_not_shut_it() -> None:
    """Whoever is on this machine reaches a port, and only the bot reaches its socket."""
    async with asyncio.timeout(PATIENCE_S), open_listener("port") as listener:
        async with call_of(listener, "guessed") as call:  # it writes nothing: a write that fails hides why a call ended
            assert await call.code() == grpc.StatusCode.UNAUTHENTICATED
        async with call_of(listener, listener.admission.token) as call:
            await call.write(JOIN)
            await listener.admission.stream


@listing
@pytest.mark.hostile("hold-many-connections")
async def test_connections_held_at_once_are_counted(listener: DirectListener) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS + 1):
            stack.enter_context(closing(connect(listener)))
        flood = await await_flood(listener)
    assert flood.cause is FaultCause.FLOOD
    assert flood.evidence["connections"] > MOST_CONNECTIONS


@listing
@pytest.mark.hostile("open-and-close-before-joining")
async def test_connections_one_after_another_are_counted(listener: DirectListener) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not listener.admission.stream.done():
            with contextlib.suppress(ConnectionError), closing(connect(listener)):
                listener_saw = len(listener._seen)
                while len(listener._seen) == listener_saw and not listener.admission.stream.done():
                    listener.look()
                    await asyncio.sleep(0.01)
    flood = await await_flood(listener)
    assert flood.cause is FaultCause.FLOOD
    assert flood.evidence["connections"] > MOST_CONNECTIONS_SEEN


@listing
async def test_as_many_as_a_bot_may_have_are_no_flood(listener: DirectListener) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            stack.enter_context(closing(connect(listener)))
        async with asyncio.timeout(PATIENCE_S):
            while len(listener._seen) < MOST_CONNECTIONS:
                listener.look()
                await asyncio.sleep(0.01)
        assert not listener.admission.stream.done()
