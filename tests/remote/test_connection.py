"""A connection whose bot takes nothing is ended, and holds nobody up who writes to it."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from arena.referee.calls import code_of
from arena.remote.connection import MOST_QUEUED_BYTES, MOST_STRAYS, RemoteConnection
from arena.remote.values import FLOOD, NOT_READING
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
