"""A seat that a remote bot plays, over whatever connection it has now; it outlives them all. No I/O of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.match.decisions import Message
from arena.referee.inbox import Arrival, Inbox
from arena.referee.seat_stream import Resume, nothing_to_resume
from arena.wire.messages import encode_broken_off


class Mailbox(Protocol):
    """Takes messages for a bot that is connected."""

    def post(self, data: bytes) -> None:
        """Queue a message."""


class RemoteSeat:
    """A `SeatStream`: while the bot is away, nothing is sent, and it is told everything when it comes back."""

    def __init__(self, match_id: str, mailbox: Mailbox | None) -> None:
        self.match_id = match_id
        self.spoiled = ""
        self.last_message = b""
        self._mailbox = mailbox
        self._inbox: Inbox | None = None
        self._seat = -1
        self._is_muted = False
        self._resume: Resume = nothing_to_resume

    @property
    def is_closed(self) -> bool:
        """Return False: the bot can come back as long as the match goes on."""
        return False

    # For the referee.

    async def send(self, data: bytes) -> None:
        """Queue a message; it is lost if the bot is away."""
        if self._mailbox is not None:
            self._mailbox.post(data)

    def attach(self, inbox: Inbox, seat: int, resume: Resume = nothing_to_resume) -> None:
        """Deliver what arrives to the inbox of the match; `resume` tells a bot that comes back where it stands."""
        self._inbox, self._seat, self._resume = inbox, seat, resume

    def detach(self) -> None:
        """Stop delivering: the match is over."""
        self._inbox = None

    def mute(self) -> None:
        """Deliver nothing more: the seat is out."""
        self._is_muted = True

    # For those who hold the connections.

    @property
    def is_open(self) -> bool:
        """Whether messages are delivered: the match goes on and the seat is not out."""
        return self._inbox is not None and not self._is_muted

    def deliver(self, message: Message, data: bytes, at: float) -> None:
        """Hand what arrived at the instant `at` to the match."""
        self.last_message = data
        if self._inbox is not None and not self._inbox.put(Arrival(self._seat, at, message)):
            self.mute()

    def connect(self, mailbox: Mailbox) -> None:
        """Go on over another connection, which is told what it must know."""
        self._mailbox = mailbox
        for message in self._resume():
            mailbox.post(message)

    def disconnect(self) -> None:
        """Note that the bot is away."""
        self._mailbox = None

    def farewell(self, *, is_over: bool) -> Sequence[bytes]:
        """Say how the match ended; what the bot must be told of it when it comes back is returned if it is away.

        If the match is not over, it was broken off.
        """
        story = self._resume()
        if self._mailbox is None:
            return story if is_over or not story else (story[0], encode_broken_off(self.match_id))
        if story and not is_over:
            self._mailbox.post(encode_broken_off(self.match_id))
        return ()
