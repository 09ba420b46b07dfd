"""One bot's stream, from its first byte to its end: reads with one task, writes with a time limit.

    new -> (first message) -> idle <-> attached to a seat of a match -> closed

An idle bot has nothing to say: a message then marks the stream as `spoiled`, and its process is not used again.

A match plays over `SeatStream`, the interface of the bot in a seat, however that is connected. What arrives waits in
the match's `Inbox`: one queue for all seats, bounded, read with a deadline.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import grpc

from arena.match.decisions import Message, ProtocolViolation
from arena.match.result import FaultCause
from arena.referee.call_context import CallContext, abort
from arena.referee.queue.server import QueueCall
from arena.wire.messages import Leave, parse_request
from arena.wire.status import Status
from engine.translatable import Text

Resume = Callable[[], Sequence[bytes]]
"""Returns what a bot must be told that comes back to its seat: the whole history, and the question that is open."""
MAX_WAITING = 16
"""How many messages of one seat may wait to be judged; no correct bot comes near it."""
STOPPED_READING_S = 5.0
SMALL_BYTES = 16_384
"""A message up to this size is taken at once: it fits into what HTTP/2 lets be sent before the bot has read, 64 kB. A
larger one is waited for, so that the clock of the question behind it does not run while it is still on its way."""
LAST_WORDS_S = 0.5
"""How long the end of a broken stream may take to be read."""
_STOPPED_READING = Text("It did not read for {seconds} s.", seconds=f"{STOPPED_READING_S:g}")


def nothing_to_resume() -> Sequence[bytes]:
    """Return no message."""
    return ()


class SeatStream(Protocol):
    """Carries messages between a match and the bot in one of its seats."""

    spoiled: str
    """Why the bot must not be used again; empty while it may."""
    last_message: bytes
    """The last message that was read; it is kept as evidence."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing can come or go any more."""

    async def send(self, data: bytes) -> None:
        """Hand a message to the transport. Raises StreamClosedError."""

    def attach(self, inbox: Inbox, seat: int, resume: Resume = nothing_to_resume, /) -> None:
        """Deliver everything that arrives from now on to the inbox of a match, as coming from `seat`.

        A stream that can break off and be taken up again sends what `resume` returns when that happens.
        """

    def detach(self) -> None:
        """Stop delivering: the match is over."""

    def mute(self) -> None:
        """Stop reading: the seat is out."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The stream ended; `why` is a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class Flood:
    """A seat sent more than a match can need; `why` is a sentence."""

    why: str = Text("It sent more messages than a match can need.")
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offence:
    """What the process of a seat did, apart from what it sent."""

    cause: FaultCause
    explanation: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a seat sent, or that its stream ended, or what else it did."""

    seat: int
    at: float
    """When it was read, in seconds of the event loop's clock."""
    what: Message | Closed | Flood | Offence


class Inbox:
    """A queue for one reader. It creates a timer only if the reader must wait."""

    __slots__ = ("_arrivals", "_loop", "_waiter")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrivals: deque[Arrival] = deque()
        self._waiter: asyncio.Future[None] | None = None

    def put(self, arrival: Arrival) -> bool:
        """Add an arrival, and return False if too many of that seat are waiting: the sender must stop then."""
        waiting = len(self._arrivals)
        if waiting >= MAX_WAITING and sum(other.seat == arrival.seat for other in self._arrivals) >= MAX_WAITING:
            self._arrivals.append(Arrival(arrival.seat, arrival.at, Flood()))
            return False
        self._arrivals.append(arrival)
        self._wake(self._waiter)
        return True

    async def get(self, deadline: float) -> Arrival | None:
        """Return the next arrival, or None if there is none until `deadline` (by the event loop's clock)."""
        if not self._arrivals:
            waiter = self._waiter = self._loop.create_future()
            timer = self._loop.call_at(deadline, self._wake, waiter)
            try:
                await waiter
            finally:
                timer.cancel()
                self._waiter = None
        return self._arrivals.popleft() if self._arrivals else None

    def drain(self) -> list[Arrival]:
        """Remove and return all arrivals that were not read."""
        left = list(self._arrivals)
        self._arrivals.clear()
        return left

    @staticmethod
    def _wake(waiter: asyncio.Future[None] | None) -> None:
        if waiter is not None and not waiter.done():
            waiter.set_result(None)


class StreamClosedError(Exception):
    """Nothing can be sent any more. The message is a sentence for people."""


class BotStream:
    """A stream of `PlayService.Play`: `serve` is for the handler of the call, the rest for the owner of the bot."""

    def __init__(self, context: CallContext) -> None:
        self._context = context
        self._call = context if isinstance(context, QueueCall) else None
        """The call, if its messages can take the shorter way."""
        self._unread_check: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._ending: asyncio.Future[Status | None] = self._loop.create_future()
        self._inbox: Inbox | None = None
        self._seat = -1
        self._is_muted = False
        self.first_message: asyncio.Future[bytes | None] = self._loop.create_future()
        """The first message; None if the stream ended before it."""
        self.last_message = b""  # the last message that was read; it is kept as evidence
        self.spoiled = ""  # why the bot must not be used again; empty while it may
        self.flood: Flood | None = None  # why it was disconnected, if it flooded the arena
        self.heard = 0  # how many messages were read

    @property
    def is_closed(self) -> bool:
        """Whether the stream has ended, from either side."""
        return self._ending.done()

    # For the handler.

    async def serve(self) -> None:
        """Read until either side ends the stream."""
        reader: asyncio.Task[None] | None = None
        try:
            # At once, and not with the first message: if the stream ended while that is being written, gRPC would send
            # the metadata once more with the status, which fails, and the client would wait for ever.
            await self._context.send_initial_metadata(())
            reader = self._loop.create_task(self._read())
            # Shielded: gRPC cancels this handler when the client is gone, and the future must live to say so.
            error = await asyncio.shield(self._ending)
        except (asyncio.CancelledError, grpc.aio.BaseError):
            self._break_off()
            raise
        finally:
            if reader is not None:
                reader.cancel()
        if error is not None:
            await abort(self._context, error)

    async def _read(self) -> None:
        try:
            if self._call is not None:
                await self._call.deliver(self._receive)
            else:
                while (data := await self._context.read()) is not grpc.aio.EOF and self._receive(data):
                    pass
        except (grpc.aio.BaseError, asyncio.InvalidStateError):
            pass  # the stream is broken; the next line says so
        if not self._is_muted:
            self._end(Text("Its stream ended."))

    def _receive(self, data: bytes) -> bool:
        """Take a message, and return whether the next one is to be read."""
        now = self._loop.time()
        self.last_message = data
        self.heard += 1
        if not self.first_message.done():
            self.first_message.set_result(data)
        elif isinstance(message := parse_request(data), Leave):
            self._end(Text("It left."))
        else:
            self._deliver(Arrival(self._seat, now, message))
        return not self._ending.done() and not self._is_muted

    def _deliver(self, arrival: Arrival) -> None:
        if self._inbox is None:
            self.spoiled = self.spoiled or Text("it sent a message while no match asked it")
        elif not self._inbox.put(arrival):
            self.mute()

    def _break_off(self) -> None:
        """Note that gRPC has ended the handler, perhaps before the reader has come to the end of the stream."""
        self._end(Text("Its stream broke off."))

    def _end(self, why: str) -> None:
        if self._ending.done():
            return
        self._ending.set_result(None)
        self.spoiled = self.spoiled or why
        if not self.first_message.done():
            self.first_message.set_result(None)
        if self._inbox is not None:
            self._inbox.put(Arrival(self._seat, self._loop.time(), Closed(why)))

    # For the owner of the bot.

    async def send(self, data: bytes) -> None:
        """Hand a message to the transport, and wait until it has taken one that is large.

        Raises StreamClosedError, also if the bot did not read for 5 s.
        """
        if self._ending.done():
            raise StreamClosedError(self.spoiled)
        if self._call is not None and len(data) <= SMALL_BYTES and self._call.post(data):
            self._check_unread_later(STOPPED_READING_S)
            return
        try:
            async with asyncio.timeout(STOPPED_READING_S):
                await self._context.write(data)
        except TimeoutError as error:
            self.close()
            raise StreamClosedError(_STOPPED_READING) from error
        except (grpc.aio.BaseError, asyncio.InvalidStateError) as error:
            # What it said last may not be read yet, such as that it leaves.
            await asyncio.wait({self._ending}, timeout=LAST_WORDS_S)
            raise StreamClosedError((self._ending.done() and self.spoiled) or Text("Its stream broke off.")) from error

    def _check_unread_later(self, after_s: float) -> None:
        """See to it that a bot that does not read what was posted is noticed; one timer serves many messages."""
        if self._unread_check is None:
            self._unread_check = self._loop.call_later(after_s, self._check_unread)

    def _check_unread(self) -> None:
        self._unread_check = None
        assert self._call is not None
        since = self._call.sending_since
        if since is None or self._ending.done():
            return
        left_s = since + STOPPED_READING_S - self._loop.time()
        if left_s > 0:
            self._check_unread_later(left_s)
        else:
            self._end(_STOPPED_READING)

    def attach(self, inbox: Inbox, seat: int, _resume: Resume = nothing_to_resume) -> None:
        """Deliver everything that arrives from now on to the inbox of a match; a hosted bot never comes back."""
        self._inbox, self._seat = inbox, seat

    def detach(self) -> None:
        """Stop delivering: the match is over, and whatever still arrives spoils the stream."""
        self._inbox, self._seat = None, -1

    def mute(self) -> None:
        """Stop reading: the seat is out, and what its bot still sends stays in its own buffers."""
        self._is_muted = True
        self.spoiled = self.spoiled or Text("it was not read to the end of a match")

    def report_second_stream(self) -> None:
        """Record that another stream was opened with this bot's token, which breaks the protocol."""
        self.spoiled = Text("it opened a second stream")
        self._deliver(Arrival(self._seat, self._loop.time(), ProtocolViolation("a second stream")))

    def report_flood(self, flood: Flood) -> None:
        """Record that its bot is being disconnected because it floods the arena."""
        self.flood, self.spoiled = flood, flood.why
        self._deliver(Arrival(self._seat, self._loop.time(), flood))
        self._is_muted = True
        self._end("It was disconnected.")

    def now(self) -> float:
        """Return the time by the clock that arrivals are given."""
        return self._loop.time()

    def offend(self, offence: Offence) -> None:
        """Tell the match, if it plays one, what the process has done; it is not used again."""
        self.spoiled = self.spoiled or offence.explanation
        if self._inbox is not None:
            self._inbox.put(Arrival(self._seat, self._loop.time(), offence))

    def close(self, error: Status | None = None) -> None:
        """End the stream from this side, normally or with an error for the bot."""
        self._inbox = None
        self.spoiled = self.spoiled or "the arena closed it"
        with contextlib.suppress(asyncio.InvalidStateError):
            self._ending.set_result(error)
        if not self.first_message.done():
            self.first_message.set_result(None)
