"""One bot's stream, from its first message to its end, however the messages travel.

    new -> (first message) -> idle <-> attached to a seat of a match -> closed

An idle bot has nothing to say: a message then marks the stream as `spoiled`, and its process is not used again.

A match plays over `SeatStream`, the interface of the bot in a seat, however that is connected. What arrives waits in
the match's `Inbox`: one queue for all seats, bounded, read with a deadline. `BotStream` is what streams of hosted bots
have in common: `call_stream.CallStream` comes by gRPC, `descriptor_stream.DescriptorStream` by file descriptors.
"""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.match.decisions import Malformed, Message, ProtocolViolation
from arena.match.result import FaultCause
from arena.referee.framing import PROTOBUF, Framing
from arena.wire.messages import Leave
from arena.wire.status import Status
from engine.translatable import Text
from engine.value_class import value_class

Resume = Callable[[], Sequence[bytes]]
"""Returns what a bot must be told that comes back to its seat: the whole history, and the question that is open."""
MAX_WAITING = 16
"""How many messages of one seat may wait to be judged; no correct bot comes near it."""
SOON_S = 0.1
"""A timer that is due no later serves the next wait, too."""
STOPPED_READING_S = 5.0
KEPT_OUTPUT_BYTES = 2000
"""How much is kept of what a bot that speaks lines wrote to standard output and that is no answer."""
STOPPED_READING = Text("It did not read for {seconds} s.", seconds=f"{STOPPED_READING_S:g}")


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


@value_class
class Arrival:
    """What a seat sent, or that its stream ended, or what else it did."""

    seat: int
    at: float
    """When it was read, in seconds of the event loop's clock."""
    what: Message | Closed | Flood | Offence


class Inbox:
    """A queue for one reader. One timer serves many waits, for most are over long before their deadline."""

    __slots__ = ("_arrivals", "_deadline", "_loop", "_timer", "_waiter")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrivals: deque[Arrival] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._deadline = 0.0  # of the wait that lasts
        self._timer: asyncio.TimerHandle | None = None

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
            self._deadline = deadline
            if self._timer is None or self._timer.when() > deadline:
                self._set_timer()
            try:
                await waiter
            finally:
                self._waiter = None
                self._forget_far_timer()
        return self._arrivals.popleft() if self._arrivals else None

    def _forget_far_timer(self) -> None:
        """Cancel a timer that would keep this queue for long after its match."""
        if self._timer is not None and self._timer.when() - self._loop.time() > SOON_S:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        """Wake the reader if its deadline is over, or look again then; without a reader the timer ends."""
        self._timer = None
        if self._waiter is None:
            return
        if self._loop.time() < self._deadline:
            self._set_timer()
        else:
            self._wake(self._waiter)

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


class BotStream(ABC):
    """The stream of a hosted bot. A subclass carries its messages: it calls `_receive` and `_end`."""

    def __init__(self, framing: Framing = PROTOBUF) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending: asyncio.Future[Status | None] = self._loop.create_future()
        self._inbox: Inbox | None = None
        self._seat = -1
        self._is_muted = False
        self.framing = framing
        self.first_message: asyncio.Future[bytes | Malformed | None] = self._loop.create_future()
        """The first message, or what is wrong with it; None if the stream ended before it."""
        if framing.join is not None:
            self.first_message.set_result(framing.join)
        self.last_message = b""  # the last message that was read; it is kept as evidence
        self.spoiled = ""  # why the bot must not be used again; empty while it may
        self.flood: Flood | None = None  # why it was disconnected, if it flooded the arena
        self.heard = 0  # how many messages were read
        self._no_answers = bytearray()  # the lines that are none

    @property
    def is_closed(self) -> bool:
        """Whether the stream has ended, from either side."""
        return self._ending.done()

    # What arrives.

    def _receive(self, data: bytes) -> bool:
        """Take a message, and return whether the next one is to be read."""
        now = self._loop.time()
        self.last_message = data
        self.heard += 1
        if not self.first_message.done():
            self.first_message.set_result(data)
        elif isinstance(message := self.framing.parse(data), Leave):
            self._end(Text("It left."))
        else:
            if isinstance(message, Malformed | ProtocolViolation):
                self._no_answers += data[: max(0, KEPT_OUTPUT_BYTES - len(self._no_answers))] + b"\n"
            self._deliver(Arrival(self._seat, now, message))
        return not self._ending.done() and not self._is_muted

    def refuse(self, data: bytes, malformed: Malformed) -> None:
        """Take what is no message; `data` is its beginning. Nothing more is read."""
        self.last_message = data
        self.heard += 1
        if not self.first_message.done():
            self.first_message.set_result(malformed)
        else:
            self._deliver(Arrival(self._seat, self._loop.time(), malformed))
        self.mute()

    def _deliver(self, arrival: Arrival) -> None:
        if self._inbox is None:
            self.spoiled = self.spoiled or self.framing.explain_unasked(arrival.what)
        elif not self._inbox.put(arrival):
            self.mute()

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

    @abstractmethod
    async def send(self, data: bytes) -> None:
        """Hand a message to the transport, and wait until it has taken one that is large.

        Raises StreamClosedError, also if the bot did not read for 5 s.
        """

    async def tell(self, response: bytes) -> None:
        """Send a `PlayResponse`, serialized, as this bot reads it. Raises StreamClosedError."""
        await self.send(self.framing.write(response))

    def listen(self) -> None:  # noqa: B027 - most cannot
        """Take the answer that comes in a moment, if that is possible without the event loop."""

    async def wait_until_read(self) -> None:  # noqa: B027 - most need not wait
        """Wait until the bot has read what it was sent, where its reading is the sign that it has started."""

    def stray_output(self) -> str:
        """Return the beginning of what a bot that speaks lines wrote to standard output and that is no answer."""
        return "" if self.framing.join is None else self._stray_bytes()[:KEPT_OUTPUT_BYTES].decode(errors="replace")

    def _stray_bytes(self) -> bytes:
        return bytes(self._no_answers)

    def descriptor(self) -> int | None:
        """Return the descriptor through which its messages come; None if that is not known here."""
        return None

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
