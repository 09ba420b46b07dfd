"""The seats of those who play elsewhere, in the process that started this one: they are asked before the referee asks.

The referee lets an watcher look between two decisions, when no clock runs. So whoever learns may take as long as it
likes, and the bots' own clocks stay as they are: the answer is there when the question is put.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from arena.match.decisions import Malformed, Message
from arena.match.match import Match
from arena.match.result import Fault
from arena.referee.inbox import Arrival, Inbox
from arena.referee.seat_stream import Resume, nothing_to_resume
from arena.wire.messages import Leave, MatchEncoder, parse_request

Ask = Callable[[int, bytes, Sequence[Fault]], Awaitable[bytes]]
"""`(seat, message, faults)`: hands a `Decide` to who plays the seat, with what was done wrong so far, and returns the
`PlayRequest` of the answer."""
SendToCaller = Callable[[int, bytes], None]
"""`(seat, message)`: hands on what asks for nothing."""


class CallerSeat:
    """A `SeatStream` whose bot is elsewhere."""

    def __init__(self, send: SendToCaller) -> None:
        self.spoiled = ""
        self.last_message = b""
        self.answer: Message | None = None
        """What was answered already to the question that comes next."""
        self._send = send
        self._inbox: Inbox | None = None
        self._seat = -1

    @property
    def is_closed(self) -> bool:
        """Return False: without the process elsewhere there is nobody to play for."""
        return False

    async def send(self, data: bytes) -> None:
        """Deliver the answer that is there; whatever is no question is handed on."""
        answer, self.answer = self.answer, None
        if answer is None:
            self._send(self._seat, data)
        elif self._inbox is not None:
            self._inbox.put(Arrival(self._seat, asyncio.get_running_loop().time(), answer))

    def attach(self, inbox: Inbox, seat: int, resume: Resume = nothing_to_resume) -> None:
        """Deliver answers to the inbox of a match; nobody comes back, so that nothing is resumed."""
        del resume
        self._inbox, self._seat = inbox, seat

    def detach(self) -> None:
        """Stop delivering: the match is over."""
        self._inbox = None

    def mute(self) -> None:
        """Go on: a seat that is out is asked no more."""


class CallerAsker:
    """A `MatchWatcher` that has those who play elsewhere decide before the referee asks them."""

    def __init__(self, match: Match, seats: dict[int, CallerSeat], ask: Ask) -> None:
        self._match = match
        self._encoder = MatchEncoder(match)
        self._seats = seats
        self._ask = ask

    @property
    def is_present(self) -> bool:
        """Whether the next decision is one of theirs."""
        decision = self._match.decision
        return decision is not None and decision.seat in self._seats

    async def look(self) -> None:
        """Ask who decides, and keep the answer."""
        decision = self._match.decision
        assert decision is not None, "nobody looks at a match that is over"
        seat = self._seats[decision.seat]
        faults = [fault for number in range(len(self._match.spec.seats)) for fault in self._match.faults_of(number)]
        seat.last_message = await self._ask(decision.seat, self._encoder.decide(decision), faults)
        said = parse_request(seat.last_message)
        seat.answer = Malformed("a Leave in the middle of a match") if isinstance(said, Leave) else said
