"""The end of a call: the queue may tell of it before the last message; whoever serves the call hears of it after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import grpc
import pytest

from arena.referee.queue.call import QueueCall


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
    monkeypatch.setattr("arena.referee.queue.call.RawCall", lambda _event: raw)
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
