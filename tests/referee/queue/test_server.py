"""A server of the queue alone, and its calls: how they end, in which order, and what ends without order.

A call that breaks off is nobody's fault, and a handler that fails is the arena's.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import grpc
import pytest

from arena.referee import stream as stream_module
from arena.referee.queue.loop import QueueLoop
from arena.referee.queue.server import QueueCall, QueueServer
from arena.referee.server import PlayServer
from arena.referee.stream import BotStream
from tests.support.deaf import call_with_little_room, make_room
from tests.support.patience import PATIENCE_S

_UNSTOPPED = """
import asyncio, os, tempfile
from pathlib import Path
from arena.wire.completion_queue import prepare
assert prepare()
import grpc
from arena.referee.queue.loop import run
from arena.referee.server import PlayServer

def open_call(address, token):
    channel = grpc.insecure_channel(address)
    call = channel.unary_stream("/grpc.health.v1.Health/Watch")(b"", metadata=(("authorization", f"Bearer {token}"),))
    next(call)
    return channel, call

async def main(directory):
    server = PlayServer()
    admission = server.admit()
    address = f"unix:{Path(directory, 'door')}"
    await server.start(address)
    if HAS_CALL:
        calls.append(await asyncio.to_thread(open_call, address, admission.token))
    raise ZeroDivisionError

calls = []
with tempfile.TemporaryDirectory() as directory:
    try:
        run(main(directory))
    except ZeroDivisionError:
        print("ended", flush=True)
os._exit(0)  # at its end, gRPC's own client can wait for a thread that is no more
"""
_SILENT = """
from arena.wire.completion_queue import prepare
assert prepare()
from arena.referee.queue import loop
loop._PATIENCE_S = 0.1
loop.call_once = lambda *_: None
loop.new_loop().close()
print("ended")
"""
ROUNDS = 20
"""Whether a call has come out of the queue behind the one that was too many differs from time to time."""
MORE_THAN_THE_FIRST_WINDOW = b"x" * 100_000


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


def said_by(program: str) -> tuple[str, str]:
    """Return what a program says on stdout and stderr."""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return ended.stdout, ended.stderr


@pytest.mark.parametrize("has_call", [False, True])
def test_a_loop_closes_although_a_server_was_not_stopped(has_call: bool) -> None:
    assert said_by(f"HAS_CALL = {has_call}\n{_UNSTOPPED}")[0] == "ended\n"


def test_where_a_queue_does_not_ring_grpc_aio_is_used_at_once() -> None:
    said, told = said_by(_SILENT)
    assert said == "ended\n"
    assert told.endswith("did not arrive, or did not end); grpc.aio is used instead\n")


class Raw:
    """A call whose operations end when, and in which order, a test says."""

    metadata = ()
    method = "/arena.v1.PlayService/Play"

    def __init__(self) -> None:
        self.receive_tags: list[Callable[[bytes | None], None]] = []
        self.end: Callable[[bool], None]

    def receive(self, tag: Callable[[bytes | None], None]) -> bool:
        self.receive_tags.append(tag)
        return True

    def await_end(self, tag: Callable[[bool], None]) -> bool:
        self.end = tag
        return True


@pytest.fixture
async def served(monkeypatch: pytest.MonkeyPatch) -> tuple[QueueCall, Raw, list[bool]]:
    """A call, what is beneath it, and what its server is told of its end."""
    raw = Raw()
    monkeypatch.setattr("arena.referee.queue.server.RawCall", lambda _event: raw)
    call = QueueCall(cast("Any", None), asyncio.get_running_loop())
    told: list[bool] = []
    call.watch_end(told.append)
    return call, raw, told


@pytest.mark.parametrize(("last", "is_read_as"), [(b"bye", b"bye"), (None, grpc.aio.EOF)])
async def test_a_message_that_is_read_comes_before_the_end(
    served: tuple[QueueCall, Raw, list[bool]], last: bytes | None, is_read_as: object
) -> None:
    call, raw, told = served
    reading = asyncio.create_task(call.read())
    await asyncio.sleep(0)
    raw.end(True)
    assert told == []
    raw.receive_tags[0](last)
    assert told == [True]
    assert await reading == is_read_as
    with pytest.raises(grpc.aio.UsageError):
        await call.read()


async def test_the_end_is_told_at_once_where_nothing_is_read(served: tuple[QueueCall, Raw, list[bool]]) -> None:
    _, raw, told = served
    raw.end(True)
    assert told == [True]


async def test_the_end_is_told_when_the_message_comes_that_nobody_waits_for_any_more(
    served: tuple[QueueCall, Raw, list[bool]],
) -> None:
    call, raw, told = served
    reading = asyncio.create_task(call.read())
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.wait({reading})
    raw.end(True)
    raw.receive_tags[0](None)
    assert told == [True]


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


@pytest.fixture
async def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[BotStream, socket.socket]]:
    """A bot's stream, and its connection."""
    monkeypatch.setattr(stream_module, "STOPPED_READING_S", PATIENCE_S)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QueueLoop)
    come: asyncio.Future[BotStream] = loop.create_future()

    async def serve(call: QueueCall) -> None:
        come.set_result(BotStream(call))
        await asyncio.Event().wait()

    server = QueueServer(loop, lambda _: serve, ())
    await server.start(f"unix:{tmp_path}/door")
    client = call_with_little_room(f"{tmp_path}/door", "/any")
    yield await asyncio.wait_for(come, PATIENCE_S), client
    client.close()
    await server.stop(None)


async def test_a_large_message_is_sent_when_the_transport_has_taken_it(bot: tuple[BotStream, socket.socket]) -> None:
    stream, client = bot
    sending = asyncio.create_task(stream.send(MORE_THAN_THE_FIRST_WINDOW))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not sending.done()
    make_room(client)
    await asyncio.wait_for(sending, PATIENCE_S)


async def test_a_small_message_is_sent_without_a_turn_of_the_loop(bot: tuple[BotStream, socket.socket]) -> None:
    stream, _ = bot
    with pytest.raises(StopIteration):
        stream.send(b"small").send(None)
