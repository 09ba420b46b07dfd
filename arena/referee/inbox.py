"""The queue of what arrives at a match: one for all seats, bounded, read with a deadline."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.match.decisions import Message
from arena.match.result import FaultCause
from engine.text import Text

MAX_WAITING = 16
"""How many messages of one seat may wait to be judged; no correct bot comes near it."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The stream ended; `why` is a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class Flood:
    """A seat sent more than a match can need; `why` is a sentence."""

    why: str = Text("referee.sent_more_messages_than_match", "It sent more messages than a match can need.")
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
