"""Bots that take nothing and streams that do not join are in the way of their own author only."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from arena.referee.call_context import code_of
from arena.remote.connection import (
    FLOOD,
    FULL,
    MOST_QUEUED_BYTES,
    MOST_STRAYS,
    NOT_READING,
    RemoteConnection,
    StreamRefusedError,
)
from arena.remote.server import KeyedSemaphore, PendingStreams
from arena.wire.status import Status


class DeafContext:
    """Joins, and takes no message ever after."""

    def __init__(self) -> None:
        self._messages = iter([b"join"])
        self.aborted: list[object] = []

    async def send_initial_metadata(self, _metadata: object) -> None:
        """Do nothing."""

    async def read(self) -> bytes:
        message = next(self._messages, None)
        return message if message is not None else await asyncio.Future()

    async def write(self, *_data: object) -> None:
        await asyncio.Future()

    async def abort(self, code: object, *_details: object) -> None:
        self.aborted.append(code)


async def served(connection: RemoteConnection) -> None:
    async def welcome(_data: bytes | None) -> None:
        connection.post(b"joined")

    if error := await connection.serve(welcome, lambda _data, _at: None):
        await connection.send_error(error)


def ending_of(connection: RemoteConnection) -> Status | None:
    return connection._ending.result()


@pytest.mark.hostile("remote-never-reads")
async def test_who_takes_nothing_for_too_long_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.remote.connection.STOPPED_READING_S", 0.01)
    context = DeafContext()
    connection = RemoteConnection(cast(Any, context))
    await served(connection)
    assert ending_of(connection) is NOT_READING
    assert context.aborted == [code_of(NOT_READING)]


async def test_who_takes_not_even_why_it_is_sent_away_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.remote.connection.SAY_WHY_S", 0.01)
    context = DeafContext()
    monkeypatch.setattr(context, "abort", context.write)
    await RemoteConnection(cast(Any, context)).send_error(FLOOD)


async def test_what_is_not_taken_is_kept_up_to_a_bound() -> None:
    connection = RemoteConnection(cast(Any, DeafContext()))
    for _ in range(3):
        connection.post(bytes(MOST_QUEUED_BYTES // 2))
    assert ending_of(connection) is NOT_READING


@pytest.mark.hostile("remote-answers-always-late")
async def test_late_answers_are_forgiven_and_many_of_them_are_not() -> None:
    connection = RemoteConnection(cast(Any, DeafContext()))
    for _ in range(2 * MOST_STRAYS):
        connection.count_stray()
        connection.post(b"question")
    assert not connection.is_closed
    for _ in range(MOST_STRAYS + 1):
        connection.count_stray()
    assert ending_of(connection) is FLOOD


class Stream:
    def __init__(self) -> None:
        self.ending: Status | None = None

    def close(self, error: Status | None = None) -> None:
        self.ending = error


@pytest.mark.hostile("remote-opens-streams-without-joining")
def test_one_address_that_fills_the_doorway_gives_way_to_another() -> None:
    pending, crowd = PendingStreams(4), [Stream() for _ in range(4)]
    for stream in crowd:
        pending.enter("eve", stream)
    pending.enter("ada", Stream())
    assert [stream.ending for stream in crowd] == [FULL, None, None, None]


@pytest.mark.hostile("remote-opens-streams-without-joining")
def test_whoever_has_most_of_a_full_doorway_is_refused() -> None:
    pending = PendingStreams(4)
    for address in ("eve", "eve", "ada", "ada"):
        pending.enter(address, Stream())
    with pytest.raises(StreamRefusedError) as refused:
        pending.enter("eve", Stream())
    assert refused.value.error is FULL


def test_those_that_joined_are_in_nobodys_way() -> None:
    pending, first = PendingStreams(1), Stream()
    pending.enter("eve", first)
    pending.leave("eve", first)
    pending.enter("ada", Stream())
    pending.leave("eve", first)
    assert first.ending is None


class Work:
    """Counts who has begun, and ends when it may."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = asyncio.Event()

    async def do(self, name: str) -> str:
        self.begun.append(name)
        await self.may_end.wait()
        return name


async def idle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_everybody_waits_behind_his_own_only() -> None:
    semaphore, work = KeyedSemaphore(1), Work()
    asking = [
        asyncio.create_task(semaphore.run(name[0], lambda name=name: work.do(name)))  # type: ignore[misc]
        for name in ("e1", "e2", "a1")
    ]
    await idle()
    assert work.begun == ["e1", "a1"]
    work.may_end.set()
    assert await asyncio.gather(*asking) == ["e1", "e2", "a1"]
    assert not semaphore._semaphores


async def test_a_turn_lasts_although_nobody_waits_for_it_any_more() -> None:
    semaphore, work = KeyedSemaphore(1), Work()
    gone = asyncio.create_task(semaphore.run("e", lambda: work.do("e1")))
    await idle()
    gone.cancel()
    waits = asyncio.create_task(semaphore.run("e", lambda: work.do("e2")))
    given_up = asyncio.create_task(semaphore.run("e", lambda: work.do("e3")))
    await idle()
    given_up.cancel()
    assert work.begun == ["e1"]
    work.may_end.set()
    assert await waits == "e2"
    await idle()
    assert (work.begun, semaphore._semaphores) == (["e1", "e2"], {})


async def test_what_is_refused_is_raised() -> None:
    async def refuse() -> str:
        raise StreamRefusedError(FULL)

    with pytest.raises(StreamRefusedError):
        await KeyedSemaphore(1).run("e", refuse)
