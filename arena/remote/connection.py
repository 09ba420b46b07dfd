"""One stream of a remote bot: reads with one task, writes from a bounded queue with another. It knows no match.

    new -> (first message, judged by `welcome`) -> joined -> ended, from either side

Nothing that a bot does here can hold anybody up: what it does not read waits in its own queue, which ends the stream
when it is full, or when nothing was taken of it for 5 s.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

import grpc

from arena.referee.calls import CallContext, abort
from arena.referee.stream import STOPPED_READING_S
from arena.remote.values import FLOOD, NO_JOIN, NOT_READING, StreamRefusedError
from arena.wire.status import Status

JOIN_PATIENCE_S = 10.0
"""How long a stream may be open without a Join."""
SAY_WHY_S = 5.0
"""How long a bot may take to be told why its stream ends; one that takes nothing never would be."""
MOST_QUEUED_BYTES = 4 << 20
MOST_STRAYS = 64
"""How many messages more than it was asked questions a bot may send that belong to no match; late answers are few."""

Welcome = Callable[[bytes | None], Awaitable[None]]
Receive = Callable[[bytes, float], None]


class RemoteConnection:
    """A stream of `PlayService.Play`: `serve` is for the handler of the call, the rest for whoever seats the bot."""

    def __init__(self, context: CallContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._ending: asyncio.Future[Status | None] = self._loop.create_future()
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._has_mail = asyncio.Event()
        self._is_finishing = False
        self._strays = 0

    @property
    def is_closed(self) -> bool:
        """Whether the stream has ended, from either side."""
        return self._ending.done()

    def post(self, data: bytes) -> None:
        """Queue a message; a bot whose queue is full is not reading, and its stream ends."""
        if self.is_closed:
            return
        if self._queued_bytes + len(data) > MOST_QUEUED_BYTES:
            self.close(NOT_READING)
            return
        self._queue.append(data)
        self._queued_bytes += len(data)
        self._strays = max(self._strays - 1, 0)
        self._has_mail.set()

    def count_stray(self) -> None:
        """Note a message that belongs to no match; a bot that sends many of them is sent away."""
        self._strays += 1
        if self._strays > MOST_STRAYS:
            self.close(FLOOD)

    def close(self, error: Status | None = None) -> None:
        """End the stream from this side, normally or with an error for the bot."""
        with suppress(asyncio.InvalidStateError):
            self._ending.set_result(error)

    def finish(self) -> None:
        """End the stream in order as soon as everything that waits in its queue has been written."""
        self._is_finishing = True
        self._has_mail.set()

    async def serve(self, welcome: Welcome, receive: Receive) -> Status | None:
        """Read until either side ends the stream, and return what the bot is still to be told by `say_why`.

        `welcome` raises StreamRefusedError for a bot that may not join.
        """
        tasks: list[asyncio.Task[None]] = []
        try:
            # At once, and not with the first message, see `arena.referee.stream`.
            await self._context.send_initial_metadata(())
            tasks = [asyncio.create_task(self._read(welcome, receive)), asyncio.create_task(self._write())]
            # Shielded: gRPC cancels this handler when the client is gone, and the future must live to say so.
            return await asyncio.shield(self._ending)
        finally:
            self.close()
            self._queue.clear()
            for task in tasks:
                task.cancel()

    async def send_error(self, error: Status) -> None:
        """End the stream with an error; a bot that takes nothing is not waited for."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SAY_WHY_S):
                await abort(self._context, error)

    async def _read(self, welcome: Welcome, receive: Receive) -> None:
        try:
            await welcome(await self._first())
            while not self.is_closed and (data := await self._context.read()) is not grpc.aio.EOF:
                receive(data, self._loop.time())
        except StreamRefusedError as refusal:
            self.close(refusal.error)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            pass  # the stream is broken; the next line says so
        finally:
            self.close()

    async def _first(self) -> bytes | None:
        """Return the first message, None if the stream ends before. Raises StreamRefusedError if none comes in time."""
        try:
            async with asyncio.timeout(JOIN_PATIENCE_S):
                data = await self._context.read()
        except TimeoutError as error:
            raise StreamRefusedError(NO_JOIN) from error
        return None if data is grpc.aio.EOF else data

    async def _write(self) -> None:
        try:
            while True:
                await self._has_mail.wait()
                await self._write_queued()
                if self._is_finishing:
                    self.close()
                self._has_mail.clear()
        except TimeoutError:
            self.close(NOT_READING)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            self.close()

    async def _write_queued(self) -> None:
        while self._queue:
            async with asyncio.timeout(STOPPED_READING_S):
                await self._context.write(self._queue[0])
            self._queued_bytes -= len(self._queue.popleft())
