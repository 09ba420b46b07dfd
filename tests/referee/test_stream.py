"""A bot's stream: how much may wait in it, odd messages at every moment, and one that is passed to another process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, cast

import grpc
import pytest

from arena.match.decisions import Malformed, ProtocolViolation
from arena.referee import stream as stream_module
from arena.referee.call_context import abort, stream_error
from arena.referee.call_stream import CallStream
from arena.referee.forwarded_stream import DistantCall, PassedStream, error_of
from arena.referee.stream import MAX_WAITING, Arrival, Closed, Flood, Inbox, StreamClosedError
from arena.v1 import play_pb2
from arena.wire.messages import parse_join, parse_request
from tests.support.fuzzing import Complaints, draw_message, fuzz, listening, open_range
from tests.support.patience import PATIENCE_S
from tests.support.specs import installed_script_game

ACT = play_pb2.PlayRequest(act=play_pb2.Act(match_id="m", ply=0, actions=[0])).SerializeToString()
MOST = 16


class FakeContext:
    """A call whose messages are written down; writing blocks or breaks on demand."""

    def __init__(self, *messages: bytes, write: Any = None) -> None:
        self._messages = [*messages, grpc.aio.EOF]
        self._write = write

    async def send_initial_metadata(self, _metadata: Any) -> None:
        await asyncio.sleep(0)

    async def read(self) -> Any:
        await asyncio.sleep(0)
        return self._messages.pop(0)

    async def write(self, _data: bytes) -> None:
        if self._write is not None:
            await self._write()


async def block() -> None:
    await asyncio.Event().wait()


async def breaks() -> None:
    raise grpc.aio.UsageError("the call is over")


@pytest.mark.hostile("stop-reading")
async def test_a_bot_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "STOPPED_READING_S", 0.001)
    stream = CallStream(FakeContext(write=block))  # type: ignore[arg-type]
    with pytest.raises(StreamClosedError, match="did not read for"):
        await stream.send(b"")
    assert stream.is_closed
    with pytest.raises(StreamClosedError):
        await stream.send(b"")


async def test_a_broken_call_cannot_be_written_to() -> None:
    with pytest.raises(StreamClosedError, match="broke off"):
        await CallStream(FakeContext(write=breaks)).send(b"")  # type: ignore[arg-type]


async def test_the_end_of_a_stream_reaches_the_match() -> None:
    stream = CallStream(FakeContext(b"join", ACT))  # type: ignore[arg-type]
    inbox = Inbox()
    stream.attach(inbox, 3)
    await stream.serve()
    assert stream.first_message.result() == b"join"
    answer, closed = inbox.drain()
    assert (answer.seat, closed.seat) == (3, 3)
    assert closed.what == Closed("Its stream ended.")


@pytest.mark.hostile("flood-of-messages")
async def test_of_a_flood_only_so_many_messages_wait() -> None:
    stream = CallStream(FakeContext(b"join", *[ACT] * 1000))  # type: ignore[arg-type]
    inbox = Inbox()
    stream.attach(inbox, 0)
    server = asyncio.create_task(stream.serve())
    for _ in range(3000):
        await asyncio.sleep(0)
    stream.close()
    await server
    arrivals = inbox.drain()
    assert len(arrivals) == MAX_WAITING + 1
    assert arrivals[-1].what == Flood()


async def test_a_muted_stream_is_not_read_any_more() -> None:
    stream = CallStream(FakeContext(b"join", *[ACT] * 1000))  # type: ignore[arg-type]
    inbox = Inbox()
    stream.attach(inbox, 0)
    stream.mute()
    server = asyncio.create_task(stream.serve())
    for _ in range(3000):
        await asyncio.sleep(0)
    assert inbox.drain() == []
    stream.close()
    await server


async def test_an_inbox_gives_nothing_after_its_deadline() -> None:
    assert await Inbox().get(asyncio.get_running_loop().time()) is None


def arrival(seat: int) -> Arrival:
    return Arrival(seat, 0.0, Malformed(f"noise of seat {seat}"))


async def test_sixteen_messages_of_a_seat_wait_and_one_more_is_a_flood() -> None:
    inbox = Inbox()
    assert [inbox.put(arrival(0)) for _ in range(MOST)] == [True] * MOST
    assert not inbox.put(arrival(0))
    assert [one.what for one in inbox.drain()] == [arrival(0).what] * MOST + [Flood()]


async def test_what_others_sent_does_not_count_against_a_seat() -> None:
    inbox = Inbox()
    others = [inbox.put(arrival(seat)) for seat in (1, 2) for _ in range(MOST)]
    own = [inbox.put(arrival(0)) for _ in range(MOST)]
    assert others + own == [True] * 3 * MOST
    assert not inbox.put(arrival(0))


async def test_a_message_that_was_read_makes_room_for_another() -> None:
    inbox = Inbox()
    for _ in range(MOST):
        inbox.put(arrival(0))
    assert await inbox.get(0.0) is not None
    assert inbox.put(arrival(0))
    assert not inbox.put(arrival(0))


async def test_messages_come_in_their_order_whatever_the_deadline() -> None:
    inbox = Inbox()
    for seat in (2, 0, 1):
        inbox.put(arrival(seat))
    assert [await inbox.get(0.0) for _ in range(4)] == [arrival(2), arrival(0), arrival(1), None]


@pytest.mark.timeout(2 * PATIENCE_S)
async def test_a_reader_that_waits_is_woken_by_what_arrives() -> None:
    inbox = Inbox()
    loop = asyncio.get_running_loop()
    loop.call_soon(inbox.put, arrival(3))
    assert await inbox.get(loop.time() + 1000 * PATIENCE_S) == arrival(3)


@pytest.mark.hostile("any-message")
@pytest.mark.parametrize(("seed", "messages"), [(1, 100), pytest.param(2, 1000, marks=pytest.mark.needs("minutes"))])
async def test_no_message_raises_or_disturbs_another_match(tmp_path: Path, seed: int, messages: int) -> None:
    with installed_script_game(), listening() as complaints:
        async with open_range(tmp_path) as target:
            await fuzz(target, seed, messages)
    assert complaints.found == []
    assert target.messages >= messages
    assert target.honest_matches > 0


def test_what_another_loop_has_left_behind_is_no_complaint_of_this_one() -> None:
    """All loops of a process share gRPC's poller, so that this one hears of calls of those that are gone."""
    left: list[Any] = []

    async def leave(port: int) -> None:
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        ask: Any = channel.unary_unary("/nobody/Answers")
        left.extend([channel, ask(b"")])
        await asyncio.sleep(0)

    async def listen() -> list[str]:
        async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
            ask: Any = channel.unary_unary("/nobody/Listens")
            complaints: Complaints
            with listening() as complaints:
                left[1]._cython_call.cancel("")  # its own `cancel` would need its loop
                with pytest.raises(grpc.aio.AioRpcError):  # whatever was told before this answer is heard
                    await ask(b"")
                asyncio.get_running_loop().call_soon(list[int].index, [], 1)
                await asyncio.sleep(0)
        return complaints.found

    with socket.create_server(("127.0.0.1", 0)) as silent:
        earlier = asyncio.new_event_loop()
        earlier.run_until_complete(leave(silent.getsockname()[1]))
        earlier.close()
        (complaint,) = asyncio.run(listen())
    assert "ValueError" in complaint


@pytest.mark.hostile("any-message")
def test_every_message_is_judged_and_none_raises() -> None:
    rng = Random(3)
    verdicts: set[type[object]] = set()
    for _ in range(2_000):
        data = draw_message(rng, "m1", 0)
        verdicts.add(type(parse_request(data)))
        verdicts.add(type(parse_join(data)))
    assert {Malformed, ProtocolViolation} < verdicts


JOIN = play_pb2.PlayRequest(join=play_pb2.Join(protocol_major=1)).SerializeToString()


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
        self.call = DistantCall(self.send, self.failed.append, lambda: None)

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


async def test_what_is_refused_comes_after_what_was_said_before_and_nothing_after_it() -> None:
    far = Far()
    stream, inbox = far.call.stream(), Inbox()
    stream.attach(inbox, 0)
    for what in (JOIN, ACT, lambda: stream.refuse(b"much", Malformed("too much")), ACT):
        await far.call.arrive(what)
    serving = asyncio.create_task(stream.serve())
    assert await inbox.get(stream.now() + PATIENCE_S) is not None
    refused = await inbox.get(stream.now() + PATIENCE_S)
    assert refused is not None
    assert refused.what == Malformed("too much")
    assert stream.last_message == b"much"
    stream.close()
    await serving
    assert inbox.drain() == []


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


@pytest.mark.parametrize("comes", [True, False])
async def test_a_wait_that_is_over_leaves_no_timer_that_is_far_away(comes: bool) -> None:
    inbox, loop = Inbox(), asyncio.get_running_loop()
    waiting = asyncio.create_task(inbox.get(loop.time() + 1e6))
    await asyncio.sleep(0)
    if comes:
        inbox.put(Arrival(0, loop.time(), Flood()))
    else:
        waiting.cancel()
    await asyncio.wait({waiting})
    assert inbox._timer is None
