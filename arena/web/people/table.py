"""A table: the seats that one visitor plays in one match, and which of his browsers plays them now."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.web.people.errors import TakenOverError
from arena.web.people.guest import Guest
from arena.web.people.seat import Seat
from arena.web.people.values import Pace, Stage


def new_key() -> str:
    """Return the secret by which a browser finds its table again."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True)
class About:
    """What does not change at a table."""

    key: str
    """Whoever has it plays here."""
    visitor: str
    """Who opened it: what his browser is known by."""
    game: str
    names: tuple[str, ...]
    """Who sits where, people and bots, as it is shown."""
    pace: Pace
    rated: bool
    opened_at: float
    """Seconds since 1970."""
    tournament: str
    match_id: str


@dataclass(eq=False, slots=True)
class Chair:
    """A seat with the guest who brings it to the service."""

    seat: Seat
    guest: Guest
    running: asyncio.Task[None] | None = None


@dataclass(eq=False, slots=True)
class Table:
    """The seats of people in one match. `sequence` grows with all that a browser may see."""

    about: About
    chairs: Mapping[int, Chair]
    """By seat."""
    sequence: int = 0
    over_since: float | None = None
    """By the loop's clock."""
    address: str = ""
    """From which it was opened; not known of a table that another process left."""
    _grip: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def seats(self) -> Sequence[Seat]:
        """Return the seats of people, in their order."""
        return [chair.seat for _, chair in sorted(self.chairs.items())]

    @property
    def is_over(self) -> bool:
        """Return whether nothing more comes for any seat."""
        return all(seat.is_over for seat in self.seats)

    @property
    def is_connected(self) -> bool:
        """Return whether every guest who still plays has a connection to the service."""
        return all(chair.guest.is_in for chair in self.chairs.values() if not chair.seat.is_over)

    @property
    def turn(self) -> Seat:
        """Return the seat that a browser shows: the one that is asked, or the first that is not over, or the first."""
        asked = [seat for seat in self.seats if seat.stage is Stage.ASKED]
        return (asked or [seat for seat in self.seats if not seat.is_over] or self.seats)[0]

    # Browsers.

    def take(self) -> int:
        """Let a browser play here from now on, and return its grip; the one that did before is told."""
        self._grip += 1
        self.change()
        return self._grip

    def check_grip(self, grip: int) -> None:
        """Raise TakenOverError if another browser has taken over since."""
        if grip != self._grip:
            raise TakenOverError("this table is played in another window now; load this page again to go on here")

    def change(self) -> None:
        """Wake those who wait."""
        self.sequence += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, after: int, most_s: float) -> int:
        """Return the sequence number as soon as it is above `after`, or when the time is up."""
        changed = self._changed
        if self.sequence <= after:
            try:
                async with asyncio.timeout(most_s):
                    await changed.wait()
            except TimeoutError:
                pass
        return self.sequence
