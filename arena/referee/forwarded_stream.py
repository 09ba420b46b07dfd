"""A bot's stream in two processes: one serves the call, and passes whole messages on to the other, which plays.

`PassedStream` is the end where the call is, `DistantCall` stands for the call at the other. What lies between is the
callers' affair: they are told what to say there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

import grpc

from arena.match.decisions import Malformed
from arena.referee.call_context import CallContext, stream_error
from arena.referee.call_stream import CallStream
from arena.referee.descriptor_stream import DescriptorStream
from arena.referee.framing import PROTOBUF, Framing
from arena.referee.stream import Flood
from arena.wire.messages import parse_join, parse_request
from arena.wire.status import Status, decode_status
from engine.translatable import Text, from_json, to_json

MOST_WAITING = 4
"""How many messages of a bot may wait to be read where it plays; the others wait where they come in."""


class PassOn(Protocol):
    """Tells the process that plays what has happened."""

    def __call__(self, event: str, blob: bytes = b"", **values: object) -> None:
        """Tell of `stream`, `message`, `refused`, `second`, `flood`, `read` or `ended`."""


class PassedStream(CallStream):
    """A bot's stream whose messages are passed on."""

    def __init__(self, context: CallContext, pass_on: PassOn, drain: Callable[[], Awaitable[None]]) -> None:
        """Wait for `drain` before the next message is read."""
        super().__init__(context)
        self._pass_on = pass_on
        self._drain = drain
        pass_on("stream")

    async def _read(self) -> None:
        with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError, ConnectionError):
            while not self.is_closed and (data := await self._context.read()) is not grpc.aio.EOF:
                # Read as it will be read again: bytes that bring down whoever reads them bring down this process.
                (parse_request if self.heard else parse_join)(data)
                self.heard += 1
                self._pass_on("message", data)
                await self._drain()
        self._pass_on("ended")
        self._end(Text("Its stream ended."))

    def _break_off(self) -> None:
        if not self.is_closed:  # else the reader has said so, or the other process wanted it
            self._pass_on("ended")
        super()._break_off()

    def report_second_stream(self) -> None:
        self._pass_on("second")

    def report_flood(self, flood: Flood) -> None:
        self._pass_on("flood", why=to_json(flood.why), evidence=dict(flood.evidence))
        super().report_flood(flood)


class PassedDescriptorStream(DescriptorStream):
    """A bot's stream by descriptors whose messages are passed on."""

    def __init__(
        self, reading: int, writing: int, framing: Framing, pass_on: PassOn, drain: Callable[[], Awaitable[None]]
    ) -> None:
        """Wait for `drain` before more is read."""
        super().__init__(reading, writing, framing)
        self._pass_on = pass_on
        self._drain = drain
        self._has_begun = False
        self._draining: asyncio.Task[None] | None = None
        self.first_message.add_done_callback(lambda _: self._begin())

    def _begin(self) -> None:
        if not self._has_begun and not self.is_closed:
            self._has_begun = True
            self._pass_on("stream")

    def _read(self) -> None:
        super()._read()
        if self._is_reading:
            self._stop_reading()
            self._draining = self._loop.create_task(self._read_on_when_drained())

    async def _read_on_when_drained(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self._drain()
            self._read_on()

    def _take(self, message: bytes) -> bool:
        self._note_first()
        return self._receive(message)

    def _receive(self, data: bytes) -> bool:
        if not self.first_message.done():
            self.first_message.set_result(data)
        self._begin()
        # Read as it will be read again: bytes that bring down whoever reads them bring down this process.
        (self.framing.parse if self.heard or self.framing.join is not None else parse_join)(data)
        self.heard += 1
        self._pass_on("message", data)
        return not self.is_closed

    def refuse(self, data: bytes, malformed: Malformed) -> None:
        self._begin()
        self._pass_on("refused", data, why=to_json(malformed.why))
        self.mute()

    def _end(self, why: str) -> None:
        if not self.is_closed and self._has_begun:
            self._pass_on("ended")
        super()._end(why)

    def report_second_stream(self) -> None:
        self._pass_on("second")

    def report_flood(self, flood: Flood) -> None:
        self._pass_on("flood", why=to_json(flood.why), evidence=dict(flood.evidence))
        super().report_flood(flood)


class DistantCall:
    """What a `CallStream` needs of the context of a call that another process serves."""

    def __init__(
        self,
        send: Callable[[bytes], Awaitable[None]],
        fail: Callable[[Mapping[str, Any]], None],
        ask_read: Callable[[], None],
    ) -> None:
        """`send` hands a message to the bot, or raises ConnectionError; `fail` ends the call with an error.

        `ask_read` asks whether the bot has read all that it was sent; `note_read` is the answer.
        """
        self._send = send
        self._fail = fail
        self._ask_read = ask_read
        self._has_read: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrived: asyncio.Queue[bytes | Callable[[], None] | None] = asyncio.Queue(MOST_WAITING)

    def stream(self, framing: Framing = PROTOBUF) -> DistantStream:
        """Return the stream of this call, which is to be served."""
        return DistantStream(self, framing)

    async def wait_until_read(self) -> None:
        """Wait until the bot has read all that it was sent."""
        self._ask_read()
        await asyncio.shield(self._has_read)

    def note_read(self) -> None:
        """Note that the bot has read what it was sent, or has gone."""
        if not self._has_read.done():
            self._has_read.set_result(None)

    async def arrive(self, what: bytes | Callable[[], None] | None) -> None:
        """Take a message of the bot, what refuses one, or None for the end; wait while too many were not read."""
        await self._arrived.put(what)

    async def send_initial_metadata(self, _metadata: object) -> None:
        """Do nothing: the other process has done so."""

    async def read(self) -> Any:
        """Return the next message; the end also after one that was refused in its turn."""
        what = await self._arrived.get()
        if callable(what):
            what()
        return what if isinstance(what, bytes) else grpc.aio.EOF

    async def write(self, data: bytes) -> None:
        """Send a message. Raises grpc.aio.BaseError."""
        try:
            await self._send(data)
        except ConnectionError as error:
            raise grpc.aio.InternalError(str(error)) from error

    async def abort(self, code: grpc.StatusCode, _message: str, metadata: Any) -> None:
        """End the call with an error, which `error_of` makes again."""
        ((_, details),) = metadata
        status = decode_status(details)
        why = {"reason": status.reason, "message": to_json(status.message), "metadata": dict(status.metadata)}
        self._fail({"code": code.name, **why})


class DistantStream(CallStream):
    """A bot's stream that another process serves."""

    def __init__(self, call: DistantCall, framing: Framing) -> None:
        super().__init__(cast(CallContext, call), framing)
        self._distant = call

    async def wait_until_read(self) -> None:
        if self.framing.join is not None:
            await self._distant.wait_until_read()


def error_of(data: Mapping[str, Any]) -> Status:
    """Return the error with which a `DistantCall` failed."""
    return stream_error(grpc.StatusCode[data["code"]], data["reason"], from_json(data["message"]), data["metadata"])
