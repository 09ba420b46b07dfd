"""Where one bot connects, a socket, a port or a proxy's: one connection is enough, whatever else comes is counted."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.hosting import framed_pipe as pipes
from arena.hosting.user_directories import runtime_directory
from arena.match.result import FaultCause
from arena.referee.call_stream import CallStream
from arena.referee.descriptor_stream import DescriptorStream
from arena.referee.framing import LineFraming
from arena.referee.server import MOST_CALLS, JoinError, join
from arena.referee.stream import Flood
from arena.v1 import play_pb2
from arena.worker.bot_listener import MOST_CONNECTIONS, MOST_CONNECTIONS_SEEN, DirectListener, StreamEnds
from arena.worker.own_limits import OwnLimits
from arena.worker.proxied_listener import ProxiedListener
from engine.translatable import parts_of
from tests.support.patience import PATIENCE_S
from tests.support.processes import held_descriptors

listing = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors cannot be listed here")

JOIN = play_pb2.PlayRequest(join=play_pb2.Join(name="bot", protocol_major=1, games=("*",))).SerializeToString()


@asynccontextmanager
async def open_listener(kind: str) -> AsyncIterator[DirectListener]:
    with runtime_directory() as directory:
        listener = (
            await DirectListener.open_port("127.0.0.1") if kind == "port" else await DirectListener.open(directory)
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
@pytest.mark.hostile("open-and-close-before-joining")
async def test_the_kernel_keeps_few_connections_that_a_busy_arena_has_not_accepted(mark: str) -> None:
    with runtime_directory() as directory, contextlib.ExitStack() as stack:
        listener = await ProxiedListener.open(directory, OwnLimits(), lambda _why: None)
        os.kill(listener._process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, listener._process.pid, os.WSTOPPED | os.WNOWAIT)
        kept = 0
        with contextlib.suppress(BlockingIOError):
            while kept <= 2 * MOST_CONNECTIONS_SEEN:
                one = stack.enter_context(socket.socket(socket.AF_UNIX))
                one.setblocking(False)
                one.connect(str(listener.socket))
                kept += 1
        os.kill(listener._process.pid, signal.SIGCONT)
        await listener.close()
    assert MOST_CONNECTIONS < kept <= MOST_CONNECTIONS_SEEN + 1


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


@pytest.mark.host_fault("bot-proxy-killed")
async def test_an_error_reaches_the_bot_and_a_bot_proxy_that_was_killed_is_the_hosts_fault(mark: str) -> None:
    lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.set_result)
        async with grpc.aio.insecure_channel(listener.address) as channel:
            play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream("/arena.v1.PlayService/Play")
            call = play(metadata=(("authorization", f"Bearer {listener.admission.token}"),))
            request = play_pb2.PlayRequest(join=play_pb2.Join(name="old", protocol_major=99, games=("*",)))
            await call.write(request.SerializeToString())
            stream = await listener.admission.stream
            with pytest.raises(JoinError) as refused:
                await join(stream)
            assert refused.value.cause is FaultCause.PROTOCOL
            assert await call.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert "use a kit of major version" in await call.details()
        assert listener.count_messages() == 1
        os.kill(listener._process.pid, signal.SIGKILL)
        assert await lost == "a bot proxy ended (SIGKILL)"
        assert stream.flood is None
        await listener.close()
        assert listener.socket is not None
        assert not listener.socket.exists()


@pytest.mark.host_fault("bot-proxy-stopped")
async def test_a_bot_proxy_that_is_stopped_and_not_dead_is_ended_and_nobody_is_blamed(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr(pipes, "BEAT_S", 0.05)
    monkeypatch.setattr(pipes, "SILENCE_S", PATIENCE_S)
    lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.set_result)
        heard = asyncio.Event()
        with monkeypatch.context() as patch:
            patch.setattr(listener._heartbeat, "note_answer", heard.set)
            await heard.wait()  # it is asked, and answers
        os.kill(listener._process.pid, signal.SIGSTOP)
        monkeypatch.setattr(pipes, "SILENCE_S", 2.0)  # until now it may have been silent for want of a core
        assert await lost == "a bot proxy ended (SIGKILL): it said nothing for 2 s, and was ended"
        assert not listener.admission.stream.done()
        await listener.close()


async def test_a_bot_proxy_that_cannot_start_says_why(tmp_path: Path, mark: str) -> None:
    lost: list[str] = []
    with pytest.raises(RuntimeError, match="a bot proxy ended"):
        await ProxiedListener.open(tmp_path / ("x" * 200), OwnLimits(), lost.append)
    assert lost == []


async def test_why_a_bot_was_disconnected_by_its_bot_proxy_keeps_which_text_it_is(mark: str) -> None:
    lost: list[str] = []
    with runtime_directory() as directory:
        listener = await ProxiedListener.open(directory, OwnLimits(), lost.append)
        async with grpc.aio.insecure_channel(listener.address) as channel:
            nothing: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/arena.v1.No/No")
            while not listener.admission.stream.done():
                with suppress(grpc.aio.AioRpcError):
                    await nothing(b"")
        with pytest.raises(JoinError) as refused:
            await listener.admission.stream
        await listener.close()
    assert parts_of(str(refused.value)) == {
        "template": "It made more than {most} calls to the arena; a bot needs one for its whole life.",
        "parts": {"most": MOST_CALLS},
    }
    assert lost == []


def frame(message: bytes) -> bytes:
    return len(message).to_bytes(4, "little") + message


def taken(listener: DirectListener) -> socket.socket:
    """The end of the socket pair that a bot is started with, as it has it then."""
    (number,) = listener.offered.values()
    end = socket.socket(fileno=os.dup(number))
    listener.note_started()
    return end


async def test_who_comes_by_the_socket_pair_is_not_served_by_grpc_any_more(listener: DirectListener) -> None:
    with taken(listener) as bot:
        bot.sendall(frame(JOIN))
        async with asyncio.timeout(PATIENCE_S):
            stream = await listener.admission.stream
            assert isinstance(stream, DescriptorStream)
            assert await stream.first_message == JOIN
            assert listener._stopping is not None
            await listener._stopping
        with pytest.raises(OSError, match=r"refused|No such file"):
            connect(listener).close()
        assert listener.descriptor() == stream.descriptor() is not None
        listener.look()
        assert listener.count_messages() == 1


async def test_a_bot_that_closes_its_end_may_still_come_by_grpc(listener: DirectListener) -> None:
    taken(listener).close()
    async with call_of(listener, listener.admission.token) as call, asyncio.timeout(PATIENCE_S):
        await call.write(JOIN)
        stream = await listener.admission.stream
        assert isinstance(stream, CallStream)
        assert await stream.first_message == JOIN


async def test_the_socket_pair_of_a_bot_that_came_by_grpc_is_closed(listener: DirectListener) -> None:
    with taken(listener) as bot:
        async with call_of(listener, listener.admission.token) as call, asyncio.timeout(PATIENCE_S):
            await call.write(JOIN)
            await (await listener.admission.stream).first_message
        bot.settimeout(PATIENCE_S)
        assert bot.recv(1) == b""


async def test_a_flood_over_the_socket_pair_ends_it(listener: DirectListener) -> None:
    with taken(listener) as bot:
        bot.sendall(frame(JOIN))
        stream = await listener.admission.stream
        listener.disconnect(Flood("It sent too much."))
        assert stream.flood == Flood("It sent too much.")
        assert bot.recv(1) == b""


def is_open(inode: int) -> bool:
    """Return whether this process has something open with that number."""
    found = set()
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with suppress(OSError):
            found.add(os.fstat(int(name)).st_ino)
    return inode in found


@listing
@pytest.mark.parametrize("fails", [False, True])
async def test_nothing_is_left_open_of_a_socket_pair(tmp_path: Path, fails: bool) -> None:
    ends = StreamEnds.make(speaks_lines=False)
    inodes = [os.fstat(number).st_ino for number in (ends.reading, *ends.offered.values())]
    if fails:
        with pytest.raises((RuntimeError, OSError)):
            await DirectListener.open(tmp_path / ("x" * 200), ends=ends)
    else:
        with runtime_directory() as directory:
            await (await DirectListener.open(directory, ends=ends)).close()
    await asyncio.sleep(0)
    assert not any(map(is_open, inodes))


@listing
async def test_nothing_is_left_open_of_pipes() -> None:
    before = held_descriptors()
    for takes_part in (False, True):
        with runtime_directory() as directory:
            listener = await DirectListener.open(directory, LineFraming("bot", ["*"]))
            if takes_part:
                listener.note_started()
                await asyncio.sleep(0)
            await listener.close()
            await listener.close()
    assert held_descriptors() == before


@listing
@pytest.mark.host_fault("descriptors-used-up")
def test_of_two_pipes_of_which_there_is_one_nothing_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    before = held_descriptors()
    pipes_left = [os.pipe]

    def pipe() -> tuple[int, int]:
        if not pipes_left:
            raise OSError(errno.EMFILE, "Too many open files")
        return pipes_left.pop()()

    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(RuntimeError, match="Too many open files"):
        StreamEnds.make(speaks_lines=True)
    assert held_descriptors() == before
