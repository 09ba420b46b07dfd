"""A table: one match, the seats that people have in it, and who of them plays which in one browser."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from arena.web.people.errors import NoTableError, TakenOverError
from arena.web.people.human_seat import HumanSeat
from arena.web.people.match_follower import MatchFollower
from arena.web.people.values import HumanSeatState, TableOrder
from arena.web.people.visitor_connection import VisitorConnection


def new_key() -> str:
    """Return a secret that opens a seat, or invites to one."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True)
class TableDetails:
    """What a table is for. `tournament` and `match_id` are empty while somebody who is invited has not come."""

    order: TableOrder
    names: tuple[str, ...]
    """Who sits where, people and bots, as it is shown."""
    opened_at: float
    """Seconds since 1970."""
    tournament: str = ""
    match_id: str = ""


@dataclass(eq=False, slots=True)
class ConnectedSeat:
    """A seat with its connection to the service."""

    seat: HumanSeat
    connection: VisitorConnection
    running: asyncio.Task[None] | None = None


@dataclass(eq=False, slots=True)
class Party:
    """The seats of a table that are played in one browser: those of who opened it, or one of an invited person."""

    key: str
    """Whoever has it plays them, in any browser."""
    seats: tuple[int, ...]
    visitor: str = ""
    """Who plays them: what his browser is known by. Empty until somebody has come."""
    invitation: str = ""
    """The secret by which whoever is invited comes; it opens nothing afterwards."""
    _session: int = 0

    @property
    def is_awaited(self) -> bool:
        """Return whether nobody has come yet."""
        return not self.visitor

    def check_session(self, session: int) -> None:
        """Raise TakenOverError if another browser has taken over since."""
        if session != self._session:
            raise TakenOverError("this seat is played in another window now; load this page again to go on here")

    def take(self) -> int:
        """Let a browser play from now on, and return the number of its session; `GameTable.change` tells the last."""
        self._session += 1
        return self._session


def parties_of(order: TableOrder, visitor: str) -> list[Party]:
    """Return who plays what at a table: the visitor who opens it, and everybody who is invited."""
    places = [seat for seat, bot in enumerate(order.sitting) if bot is None]
    own = Party(new_key(), tuple(seat for seat in places if seat not in order.invited), visitor)
    return [own, *(Party("", (seat,), invitation=new_key()) for seat in places if seat in order.invited)]


@dataclass(eq=False, slots=True)
class GameTable:
    """The seats of people in one match. `sequence` grows with all that a browser may see."""

    about: TableDetails
    chairs: Mapping[int, ConnectedSeat]
    """By seat."""
    parties: Sequence[Party]
    """That of who opened the table first."""
    sequence: int = 0
    over_since: float | None = None
    """By the loop's clock."""
    address: str = ""
    """From which it was opened, of IPv6 its network; not known of a table that another process left."""
    following: MatchFollower = field(default_factory=MatchFollower)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def key(self) -> str:
        """Return the key of who opened it."""
        return self.parties[0].key

    @property
    def game(self) -> str:
        """Return the name of the game."""
        return self.about.order.game

    @property
    def seats(self) -> Sequence[HumanSeat]:
        """Return the seats of people, in their order."""
        return [chair.seat for _, chair in sorted(self.chairs.items())]

    @property
    def is_gathering(self) -> bool:
        """Return whether the match waits for people who are invited."""
        return not self.about.match_id and not self.is_over

    @property
    def is_over(self) -> bool:
        """Return whether nothing more comes for any seat."""
        return all(seat.is_over for seat in self.seats)

    @property
    def is_connected(self) -> bool:
        """Return whether every visitor who still plays has a connection to the service."""
        return all(chair.connection.is_in for chair in self.chairs.values() if not chair.seat.is_over)

    @property
    def missing(self) -> list[str]:
        """Return what those are called who are invited and have not come."""
        return [self.about.names[seat] for party in self.parties if party.is_awaited for seat in party.seats]

    @property
    def turn(self) -> HumanSeat:
        """Return the seat that is asked, or the first that is not over, or the first."""
        return _shown_of(self.seats)

    # Browsers.

    def party(self, key: str) -> Party:
        """Return whose key that is. Raises NoTableError."""
        for party in self.parties:
            if secrets.compare_digest(party.key.encode(), key.encode()):
                return party
        raise NoTableError("there is no such seat any more; open another table")

    def seats_of(self, party: Party) -> Sequence[HumanSeat]:
        """Return the seats of one browser."""
        return [self.chairs[number].seat for number in party.seats]

    def turn_of(self, party: Party) -> HumanSeat:
        """Return the seat that a browser shows: the one that is asked, or the first that is not over, or the first."""
        return _shown_of(self.seats_of(party))

    def take(self, party: Party) -> int:
        """Let a browser play there from now on, and return the number of its session; the one before is told."""
        session = party.take()
        self.change()
        return session

    def name(self, seat: int, name: str) -> None:
        """Call whoever sits there so."""
        names = (*self.about.names[:seat], name, *self.about.names[seat + 1 :])
        self.about = replace(self.about, names=names)
        self.chairs[seat].seat.name = name

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


def _shown_of(seats: Sequence[HumanSeat]) -> HumanSeat:
    asked = [seat for seat in seats if seat.stage is HumanSeatState.ASKED]
    return (asked or [seat for seat in seats if not seat.is_over] or seats)[0]
