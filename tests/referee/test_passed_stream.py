"""A bot's stream that comes in at one process and is played at another: what crosses, and what waits."""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import grpc
import pytest

from arena.referee.calls import abort, stream_error
from arena.referee.passed_stream import DistantCall, PassedStream, error_of
from arena.referee.stream import Flood
from arena.v1 import play_pb2

JOIN = play_pb2.PlayRequest(join=play_pb2.Join(protocol_major=1)).SerializeToString()
ACT = play_pb2.PlayRequest(act=play_pb2.Act(match_id="m", ply=0, actions=[0])).SerializeToString()


class Call:
    """A call of a bot that sends these messages."""

    def __init__(self, *messages: bytes) -> None:
        self._messages = [*messages, grpc.aio.EOF]

    async def send_initial_metadata(self, _metadata: Any) -> None:
        await asyncio.sleep(0)

    async def read(self) -> Any:
        await asyncio.sleep(0)
        return self._messages.pop(0)


class BrokenCall(Call):
    """A call whose bot is gone before its first message: gRPC says so when it is written to, or by cancelling."""

    def __init__(self, *, tells: bool) -> None:
        super().__init__()
        self._tells = tells
        self.is_read = asyncio.Event()

    async def send_initial_metadata(self, _metadata: Any) -> None:
        if self._tells:
            raise grpc.aio.InternalError("the call is over")

    async def read(self) -> Any:
        self.is_read.set()
        await asyncio.Event().wait()


class Other:
    """Notes what the process that plays is told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.drained = 0

    def pass_on(self, event: str, blob: bytes = b"", **values: object) -> None:
        self.told.append((event, *filter(None, [blob, values])))

    async def drain(self) -> None:
        self.drained += 1


async def test_every_message_is_passed_on_and_counted_and_then_the_end() -> None:
    other = Other()
    stream = PassedStream(cast("Any", Call(JOIN, ACT, b"noise")), other.pass_on, other.drain)
    await stream.serve()
    assert other.told == [("stream",), ("message", JOIN), ("message", ACT), ("message", b"noise"), ("ended",)]
    assert (stream.heard, other.drained) == (3, 3)
    assert stream.is_closed


async def test_the_end_is_passed_on_also_where_the_handler_hears_of_it_before_the_reader() -> None:
    other = Other()
    call = BrokenCall(tells=False)
    serving = asyncio.create_task(PassedStream(cast("Any", call), other.pass_on, other.drain).serve())
    await call.is_read.wait()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert other.told == [("stream",), ("ended",)]


async def test_the_end_is_passed_on_of_a_call_that_is_over_before_it_is_served() -> None:
    other = Other()
    stream = PassedStream(cast("Any", BrokenCall(tells=True)), other.pass_on, other.drain)
    with pytest.raises(grpc.aio.BaseError):
        await stream.serve()
    assert other.told == [("stream",), ("ended",)]


async def test_a_flood_and_a_second_stream_are_passed_on() -> None:
    other = Other()
    stream = PassedStream(cast("Any", Call()), other.pass_on, other.drain)
    stream.report_second_stream()
    assert not stream.is_closed
    stream.report_flood(Flood("It sent too much.", {"bytes": 9}))
    assert other.told[1:] == [("second",), ("flood", {"why": "It sent too much.", "evidence": {"bytes": 9}})]
    assert stream.is_closed


class Far:
    """The other end of a call that another process serves."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.failed: list[Mapping[str, Any]] = []
        self.call = DistantCall(self.send, self.failed.append)

    async def send(self, data: bytes) -> None:
        if not data:
            raise ConnectionError("gone")
        self.sent.append(data)


async def test_four_messages_wait_to_be_read_and_the_next_waits_outside() -> None:
    far = Far()
    for number in range(4):
        await far.call.arrive(b"%d" % number)
    last = asyncio.create_task(far.call.arrive(None))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not last.done()
    assert [await far.call.read() for _ in range(4)] == [b"0", b"1", b"2", b"3"]
    await last
    assert await far.call.read() is grpc.aio.EOF


async def test_what_cannot_be_sent_is_a_broken_stream() -> None:
    far = Far()
    await far.call.write(b"one")
    assert far.sent == [b"one"]
    with pytest.raises(grpc.aio.BaseError):
        await far.call.write(b"")


async def test_an_error_comes_to_the_bot_as_it_was() -> None:
    far = Far()
    error = stream_error(grpc.StatusCode.FAILED_PRECONDITION, "SECOND_STREAM", "one is enough", {"bot": "rex"})
    await abort(cast("Any", far.call), error)
    (data,) = far.failed
    assert error_of(data) == error
