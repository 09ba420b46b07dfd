"""One stream of a remote bot, who the coordinator says it is, and the errors with which streams end.

One task reads, another writes from a bounded queue. A stream knows no match.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import grpc

from arena.referee.call_context import CallContext, abort, stream_error
from arena.referee.stream import STOPPED_READING_S
from arena.wire.messages import PROTOCOL_MAJOR, PROTOCOL_MINOR
from arena.wire.status import Status
from engine.translatable import Text, from_json

JOIN_PATIENCE_S = 10.0
"""How long a stream may be open without a Join."""
SAY_WHY_S = 5.0
"""How long a bot may take to be told why its stream ends; one that takes nothing never would be."""
MOST_QUEUED_BYTES = 4 << 20
MOST_STRAYS = 64
"""How many messages more than it was asked questions a bot may send that belong to no match; late answers are few."""

Welcome = Callable[[bytes | None], Awaitable[None]]
Receive = Callable[[bytes, float], None]
TOKEN_UNKNOWN = stream_error(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    Text('the metadata key "authorization" must be "Bearer TOKEN", with the token that the organiser gave you'),
)
TOKEN_REVOKED = stream_error(
    grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_UNKNOWN",
    Text("the token was revoked, has expired, or its owner was disabled; ask the organiser for another"),
)
SUPERSEDED = stream_error(
    grpc.StatusCode.ABORTED,
    "SUPERSEDED",
    Text("another connection of this bot took over; connect it from one place only"),
)
STOPPING = stream_error(grpc.StatusCode.UNAVAILABLE, "STOPPING", Text("the service stops; connect again in a minute"))
NOT_READING = stream_error(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "NOT_READING",
    Text("the bot took nothing of what it was sent; read all the time"),
)
FLOOD = stream_error(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "FLOOD",
    Text("too many messages that answer no question came; answer each Decide once, and connect again"),
)
NO_JOIN = stream_error(
    grpc.StatusCode.DEADLINE_EXCEEDED, "JOIN", Text("no Join came; send it first, right after opening the stream")
)
FULL = stream_error(
    grpc.StatusCode.RESOURCE_EXHAUSTED, "CONNECTIONS", Text("too many bots are connecting; try again in a minute")
)
UNDECIDED = stream_error(
    grpc.StatusCode.UNAVAILABLE, "BUSY", Text("the service could not look at the token; try again")
)


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
        """Read until either side ends the stream, and return the error that `send_error` must still send to the bot.

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
            try:
                async with asyncio.timeout(JOIN_PATIENCE_S):
                    data = await self._context.read()
            except TimeoutError as error:
                raise StreamRefusedError(NO_JOIN) from error
            await welcome(None if data is grpc.aio.EOF else data)
            while not self.is_closed and (data := await self._context.read()) is not grpc.aio.EOF:
                receive(data, self._loop.time())
        except StreamRefusedError as refusal:
            self.close(refusal.error)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            pass  # the stream is broken; the next line says so
        finally:
            self.close()

    async def _write(self) -> None:
        try:
            while True:
                await self._has_mail.wait()
                while self._queue:
                    async with asyncio.timeout(STOPPED_READING_S):
                        await self._context.write(self._queue[0])
                    self._queued_bytes -= len(self._queue.popleft())
                if self._is_finishing:
                    self.close()
                self._has_mail.clear()
        except TimeoutError:
            self.close(NOT_READING)
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            self.close()


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """A bot that may join, as the coordinator knows it."""

    name: str
    """Its whole name, `owner/name`."""
    version: str
    """The content hash of its version, as the seats of matches name it."""
    games: tuple[str, ...]
    digest: str
    """That of its token."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BotIdentity:
        """Return the bot that a frame of the coordinator names."""
        return cls(data["bot"], data["version"], tuple(data["games"]), data["digest"])


class StreamRefusedError(Exception):
    """A stream is not taken, or is ended; `error` says so to the bot."""

    def __init__(self, error: Status) -> None:
        super().__init__(error.message)
        self.error = error


def malformed(why: str) -> Status:
    """Return the error of a message that cannot be laid to any one match."""
    return stream_error(
        grpc.StatusCode.INVALID_ARGUMENT,
        "MALFORMED",
        Text("the bot sent {what}; send messages of the protocol only", what=why),
    )


def bad_join(why: str) -> Status:
    """Return the error of a first message that is no Join."""
    return stream_error(
        grpc.StatusCode.INVALID_ARGUMENT, "JOIN", Text("the bot sent {what}; send a Join first", what=why)
    )


def other_protocol(major: int, minor: int) -> Status:
    """Return the error of a bot that speaks another major version."""
    theirs, ours = f"{major}.{minor}", f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
    message = Text(
        "the bot speaks protocol {theirs}, this arena {ours}; use a kit of major version {major}",
        theirs=theirs,
        ours=ours,
        major=PROTOCOL_MAJOR,
    )
    return stream_error(
        grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_VERSION", message, {"bot": theirs, "arena": ours}
    )


def version_in_play(bot: str, matches: int) -> Status:
    """Return the error of a bot that comes back as another version while its matches go on."""
    message = Text(
        "another version of {bot} is in the middle of {matches}; connect that version again to play on, or wait until "
        "its time there has run out",
        bot=bot,
        matches=Text("{count} matches", count=matches) if matches > 1 else Text("{count} match", count=matches),
    )
    return stream_error(grpc.StatusCode.FAILED_PRECONDITION, "VERSION_IN_PLAY", message)


def refused(data: Mapping[str, Any]) -> Status:
    """Return the error with which the coordinator refuses a bot."""
    return stream_error(grpc.StatusCode[data["code"]], data["reason"], from_json(data["message"]))
