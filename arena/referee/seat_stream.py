"""What a match needs of the bot in a seat, however that is connected: the interface that the referee plays over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from arena.referee.inbox import Inbox

Resume = Callable[[], Sequence[bytes]]
"""Returns what a bot must be told that comes back to its seat: the whole history, and the question that is open."""


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
