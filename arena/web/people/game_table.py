"""A table: what was ordered, one match, the seats that people have in it, and the file in which tables are saved."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from arena.model.human_play import LONGEST_NAME, PlayLimits
from arena.model.live import MatchEvent
from arena.story.errors import StoryError
from arena.story.story import PositionTracker
from arena.web.people.errors import NoTableError, TakenOverError
from arena.web.people.human_seat import HumanSeat, HumanSeatState
from arena.web.people.visitor_accounts import ConnectedSeat
from engine.abilities import Move
from engine.core import State

KEPT_MOVES = 100
"""How many of the last moves keep their positions."""


_SECRET = 0o600


_PARTY = ("key", "seats", "visitor", "invitation")


_BEYOND_IDLE_S = 60
"""How much longer than the idle time the limit of a decision is without a clock, so that idling is never a fault."""


class TableClock(StrEnum):
    """The clock of a table; bots at it play by the same."""

    GENEROUS = "generous"
    BRISK = "brisk"
    OFF = "off"
    """None but the time after which an idle seat resigns."""


_TIMES = {TableClock.GENEROUS: "600+30", TableClock.BRISK: "120+10"}


def time_of(pace: TableClock, rules: PlayLimits) -> str:
    """Return the time control of a pace, as a service reads it."""
    return _TIMES.get(pace) or f"{int(rules.idle_s) + _BEYOND_IDLE_S}s"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOrder:
    """A table that a visitor wants."""

    game: str
    sitting: tuple[str | None, ...]
    """Who sits where: the name of a bot, or None for a person."""
    names: tuple[str, ...] = ()
    """What the people call themselves, in the order of their seats; whoever says nothing has a number."""
    pace: TableClock = TableClock.GENEROUS
    options: Mapping[str, Any] = field(default_factory=dict)
    rated: bool = False
    invited: tuple[int, ...] = ()
    """The seats of those people who come by a link, in browsers of their own."""

    @property
    def people(self) -> int:
        """Return how many seats people take."""
        return self.sitting.count(None)

    def called(self) -> tuple[str, ...]:
        """Return what everybody is called, people and bots."""
        return tuple(person or bot or "" for person, bot in zip(self.persons(), self.sitting, strict=True))

    def persons(self) -> tuple[str, ...]:
        """Return what each seat is called that a person takes, and nothing for a bot's."""
        said = iter([*self.names, *[""] * len(self.sitting)])
        called = [shown_name(next(said)) if bot is None else "" for bot in self.sitting]
        missing = (f"Player {number}" if self.people > 1 else "Guest" for number in range(1, len(called) + 1))
        return tuple(
            name if bot is not None else name or default
            for bot, name, default in zip(self.sitting, called, missing, strict=True)
        )


def shown_name(name: str) -> str:
    """Return a name as it can be shown: in one line, and not too long."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:LONGEST_NAME].strip()


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


class MatchFollower:
    """The match of a table with every position, followed by a watch of it.

    The positions are whole, hidden parts included: `SeatBoard` makes of each what its seat may see.
    """

    def __init__(self) -> None:
        self.is_alive = True
        """Whether it may be waited for; False once it broke off, or the match cannot be followed here."""
        self.attempt = 0
        self.start: State | None = None
        """The position before the first ply."""
        self.ended = False
        """Whether the match came to its own end."""
        self.is_over = False
        """Whether nothing more happens in it."""
        self.explanations: Mapping[str, str] = {}
        """What explains the faults at its end, by its English words; the seats are told these alone."""
        self._tracker: PositionTracker | None = None
        self._moves: list[Move | None] = []

    @property
    def moves(self) -> Sequence[Move | None]:
        """Return every move; of those long ago None."""
        return self._moves

    @property
    def decider(self) -> int | None:
        """Return the seat that decides next; None at the end, or if nothing is known."""
        return None if self._tracker is None else self._tracker.state.seat()

    def take(self, event: MatchEvent) -> None:
        """Take the next event; a start begins anew."""
        try:
            if event.start is not None:
                self._tracker = PositionTracker(event.start)
                self._moves, self.start = [], self._tracker.state
                self.attempt, self.is_alive = event.start.attempt, True
                self.ended = self.is_over = False
                self.explanations = {}
            elif event.move is not None and self._tracker is not None:
                self._moves.append(self._tracker.apply(event.move))
                if len(self._moves) > KEPT_MOVES:
                    self._moves[-KEPT_MOVES - 1] = None
            elif event.end is not None:
                self.ended, self.is_over = event.end.by_rules, True
                self.explanations = {fault.explanation: fault.explanation for fault in event.end.faults}
        except StoryError:
            self.is_alive = False

    def lose(self) -> None:
        """Note that nothing more is heard for now."""
        self.is_alive = self.is_over


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


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A table as it is saved."""

    about: TableDetails
    accounts: Mapping[int, str]
    """The plain name of the account, by the seat that it takes."""
    parties: tuple[Party, ...]


def load_tables(file: Path | None) -> list[SavedTable]:
    """Return the tables that a file holds; none if there is no file, or it cannot be read."""
    if file is None:
        return []
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        return [_parse_table(one) for one in json.loads(file.read_text(encoding="utf-8"))]
    return []


def save_tables(file: Path | None, tables: Iterable[SavedTable]) -> None:
    """Write these tables and no others to a file; a crash leaves either these or those before. Raises OSError."""
    if file is None:
        return
    text = json.dumps(
        [
            {
                "about": asdict(one.about),
                "guests": dict(one.accounts),
                "parties": [{name: getattr(party, name) for name in _PARTY} for party in one.parties],
            }
            for one in tables
        ]
    )
    new = file.with_suffix(".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _SECRET), "w", encoding="utf-8") as opened:
        opened.write(text)
    new.replace(file)


def _parse_table(data: Mapping[str, Any]) -> SavedTable:
    about = data["about"]
    listed = about["order"]
    order: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in listed.items()}
    fields = {
        **about,
        "names": tuple(about["names"]),
        "order": TableOrder(**{**order, "pace": TableClock(listed["pace"])}),
    }
    parties = tuple(Party(**{**one, "seats": tuple(one["seats"])}) for one in data["parties"])
    return SavedTable(TableDetails(**fields), {int(seat): str(name) for seat, name in data["guests"].items()}, parties)
