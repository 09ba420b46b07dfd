"""An event loop that polls gRPC's completion queue, and a server of the queue alone with its calls."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast
from unittest import mock

import grpc
import pytest

from arena.referee import stream as stream_module
from arena.referee.call_stream import CallStream
from arena.referee.queue import loop as queue_loop
from arena.referee.queue.cython_api import Event, ListeningServer
from arena.referee.queue.loop import QueueLoop, new_loop, polled_s
from arena.referee.queue.server import QueueCall, QueueServer
from arena.referee.server import PlayServer
from tests.support.deaf import call_with_little_room, make_room
from tests.support.patience import PATIENCE_S

LEFT_BEHIND = """
import asyncio, os, threading
from arena.referee.queue.loop import QueueLoop, make_queue_loop, run

async def the_loop():
    return asyncio.get_running_loop()

def kept():
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    opened = {f"{link} {os.readlink(link)}" for link in links if os.path.lexists(link)}  # the listing's own is gone
    return opened | {str(thread) for thread in threading.enumerate()}

make_queue_loop().close()  # what is made once in a process
before = kept()
for _ in range(20):
    assert isinstance(run(the_loop()), QueueLoop)
print(*kept() - before, sep="\\n", end="")
"""


def the_loop() -> QueueLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QueueLoop)
    return loop


async def test_a_descriptor_that_becomes_ready_is_read_while_nothing_comes_out_of_the_queue() -> None:
    reader, writer = os.pipe()
    said: asyncio.Future[bytes] = the_loop().create_future()
    the_loop().add_reader(reader, lambda: said.set_result(os.read(reader, 9)))
    threading.Timer(0.1, os.write, (writer, b"now")).start()
    assert await asyncio.wait_for(said, PATIENCE_S) == b"now"
    the_loop().remove_reader(reader)
    os.close(reader)
    os.close(writer)


async def test_a_descriptor_that_stays_ready_is_read_again_and_again() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"x" * 100)
    read: list[bytes] = []
    everything = asyncio.Event()

    def read_one() -> None:
        read.append(os.read(reader, 1))
        if len(read) == 100:
            everything.set()

    the_loop().add_reader(reader, read_one)
    await asyncio.wait_for(everything.wait(), PATIENCE_S)
    the_loop().remove_reader(reader)
    os.close(reader)
    os.close(writer)


async def test_other_threads_and_children_are_heard() -> None:
    assert await asyncio.to_thread(threading.get_ident) != threading.get_ident()
    child = await asyncio.create_subprocess_exec("sh", "-c", "echo here", stdout=asyncio.subprocess.PIPE)
    said, _ = await asyncio.wait_for(child.communicate(), PATIENCE_S)
    assert said == b"here\n"


async def test_a_signal_is_handled_while_the_loop_waits() -> None:
    came = asyncio.Event()
    the_loop().add_signal_handler(signal.SIGUSR1, came.set)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    await asyncio.wait_for(came.wait(), PATIENCE_S)
    the_loop().remove_signal_handler(signal.SIGUSR1)


async def test_a_timer_comes_although_the_clock_of_the_day_is_set_back() -> None:
    """The poll's deadline is by that clock: it lies an hour ahead then, and the backstop ends the poll."""
    with mock.patch("arena.referee.queue.loop.time.time", return_value=time.time() + 3600):
        await asyncio.wait_for(asyncio.sleep(0.1), PATIENCE_S)


async def test_an_event_whose_tag_raises_is_told_and_the_loop_goes_on() -> None:
    told: list[dict[str, Any]] = []
    the_loop().set_exception_handler(lambda _, context: told.append(context))

    def fail(_event: Event) -> None:
        raise ZeroDivisionError

    server = ListeningServer(the_loop().queue, ())
    server.start("127.0.0.1:0")
    server.shut_down(fail)
    async with asyncio.timeout(PATIENCE_S):
        while not told:
            await asyncio.sleep(0.005)
    server.destroy()
    assert isinstance(told[0]["exception"], ZeroDivisionError)


async def test_what_the_polls_compute_is_counted() -> None:
    the_loop().expect(None)
    before = polled_s()
    for _ in range(100):
        await asyncio.sleep(0)
    assert polled_s() > before


def test_without_a_queue_nothing_is_counted() -> None:
    assert polled_s() == 0
    assert asyncio.run(_counted()) == 0


async def _counted() -> float:
    return polled_s()


def test_a_loop_that_was_closed_leaves_no_thread_and_no_descriptor() -> None:
    """In a process of its own: in this one gRPC has threads of other tests, which open and close what they like."""
    left = subprocess.run([sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, timeout=PATIENCE_S)
    assert left.returncode == 0, left.stderr
    assert left.stdout == ""


@pytest.mark.parametrize("kind", [AttributeError, TypeError, ValueError])
def test_where_grpc_behaves_otherwise_the_usual_loop_is_used_and_that_is_said(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object) -> None:
        raise kind("cygrpc has no Server")

    monkeypatch.setattr(queue_loop, "make_wakeup", break_down)
    loop = new_loop()
    loop.close()
    assert not isinstance(loop, QueueLoop)
    assert capsys.readouterr().err == (
        "grpcio's completion queue cannot be used (cygrpc has no Server); grpc.aio is used instead\n"
    )


def test_where_aio_is_asked_for_the_usual_loop_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_GRPC", "aio")
    loop = new_loop()
    loop.close()
    assert not isinstance(loop, QueueLoop)


_UNSTOPPED = """
import asyncio, os, tempfile
from pathlib import Path
from arena.wire.completion_queue_check import prepare
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
from arena.wire.completion_queue_check import prepare
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
    call = QueueCall(cast("Any", None), cast("QueueLoop", asyncio.get_running_loop()))
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
async def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[CallStream, socket.socket]]:
    """A bot's stream, and its connection."""
    monkeypatch.setattr(stream_module, "STOPPED_READING_S", PATIENCE_S)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, QueueLoop)
    come: asyncio.Future[CallStream] = loop.create_future()

    async def serve(call: QueueCall) -> None:
        come.set_result(CallStream(call))
        await asyncio.Event().wait()

    server = QueueServer(loop, lambda _: serve, ())
    await server.start(f"unix:{tmp_path}/door")
    client = call_with_little_room(f"{tmp_path}/door", "/any")
    yield await asyncio.wait_for(come, PATIENCE_S), client
    client.close()
    await server.stop(None)


async def test_a_large_message_is_sent_when_the_transport_has_taken_it(bot: tuple[CallStream, socket.socket]) -> None:
    stream, client = bot
    sending = asyncio.create_task(stream.send(MORE_THAN_THE_FIRST_WINDOW))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not sending.done()
    make_room(client)
    await asyncio.wait_for(sending, PATIENCE_S)


async def test_a_small_message_is_sent_without_a_turn_of_the_loop(bot: tuple[CallStream, socket.socket]) -> None:
    stream, _ = bot
    with pytest.raises(StopIteration):
        stream.send(b"small").send(None)


Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
async def pair(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    """A socket that the loop reads, and its other end; however busy this machine is, the loop was not away."""
    monkeypatch.setattr("arena.referee.queue.loop._AWAY_S", 1e9)
    ours, theirs = socket.socketpair()
    loop = the_loop()
    loop.add_reader(ours, lambda: None)
    while loop._ready:  # type: ignore[attr-defined] # what began the test
        await asyncio.sleep(0)
    yield ours, theirs
    loop.remove_reader(ours)
    for end in (ours, theirs):
        end.close()


async def test_a_descriptor_is_waited_for_outside_the_turns_of_the_loop(pair: Pair) -> None:
    ours, theirs = pair
    assert not the_loop().wait_briefly(ours.fileno())
    theirs.send(b"x")
    assert the_loop().wait_briefly(ours.fileno())


async def test_no_descriptor_is_waited_for_while_another_is_ready(pair: Pair) -> None:
    ours, theirs = pair
    other, its_end = socket.socketpair()
    with other, its_end:
        the_loop().add_reader(other, lambda: None)
        its_end.send(b"x")
        theirs.send(b"x")
        assert not the_loop().wait_briefly(ours.fileno())
        the_loop().remove_reader(other)


async def test_no_descriptor_is_waited_for_while_the_loop_has_something_else_to_do(pair: Pair) -> None:
    ours, theirs = pair
    theirs.send(b"x")
    the_loop().call_soon(lambda: None)
    assert not the_loop().wait_briefly(ours.fileno())


async def test_no_descriptor_is_waited_for_while_grpc_is_expected_or_the_loop_was_away(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pair
    theirs.send(b"x")
    the_loop().expect(pair)
    assert not the_loop().wait_briefly(ours.fileno())
    the_loop().expect_no_more(pair)
    assert the_loop().wait_briefly(ours.fileno())
    monkeypatch.setattr("arena.referee.queue.loop._AWAY_S", -1.0)
    assert not the_loop().wait_briefly(ours.fileno())
