"""Streams whose bots do not read, and streams that break, without a network."""

import asyncio
from typing import Any

import grpc
import pytest

from arena.referee import stream as stream_module
from arena.referee.inbox import MAX_WAITING, Closed, Flood, Inbox
from arena.referee.stream import BotStream, StreamClosedError
from arena.v1 import play_pb2

ACT = play_pb2.PlayRequest(act=play_pb2.Act(match_id="m", ply=0, actions=[0])).SerializeToString()


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
    stream = BotStream(FakeContext(write=block))  # type: ignore[arg-type]
    with pytest.raises(StreamClosedError, match="did not read for"):
        await stream.send(b"")
    assert stream.is_closed
    with pytest.raises(StreamClosedError):
        await stream.send(b"")


async def test_a_broken_call_cannot_be_written_to() -> None:
    with pytest.raises(StreamClosedError, match="broke off"):
        await BotStream(FakeContext(write=breaks)).send(b"")  # type: ignore[arg-type]


async def test_the_end_of_a_stream_reaches_the_match() -> None:
    stream = BotStream(FakeContext(b"join", ACT))  # type: ignore[arg-type]
    inbox = Inbox()
    stream.attach(inbox, 3)
    await stream.serve()
    assert stream.first_message.result() == b"join"
    answer, closed = inbox.drain()
    assert (answer.seat, closed.seat) == (3, 3)
    assert closed.what == Closed("Its stream ended.")


@pytest.mark.hostile("flood-of-messages")
async def test_of_a_flood_only_so_many_messages_wait() -> None:
    stream = BotStream(FakeContext(b"join", *[ACT] * 1000))  # type: ignore[arg-type]
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
    stream = BotStream(FakeContext(b"join", *[ACT] * 1000))  # type: ignore[arg-type]
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
