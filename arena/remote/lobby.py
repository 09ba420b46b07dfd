"""The remote bots that are here, by name and by version: who takes over from whom, who plays which matches. No I/O.

A bot is one connection at a time. Its seats outlive connections: who comes back as the same version plays on. Who wants
no new match stays until those that run are over, and counts as gone meanwhile for all that would begin.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.match.decisions import Answer, Message, Resignation
from arena.referee.stream import Arrival, Inbox, Resume, nothing_to_resume
from arena.remote.connection import (
    SUPERSEDED,
    BotIdentity,
    RemoteConnection,
    StreamRefusedError,
    malformed,
    version_in_play,
)
from arena.wire.messages import EVERY_GAME, Leave, encode_broken_off, encode_joined, parse_request
from arena.wire.status import Status

MOST_ROOM = 64
"""How many matches one bot may play at once, whatever it asks for."""
MOST_MISSED_ENDINGS = 8
"""How many matches that ended while it was away a bot is told of when it comes back."""
MOST_MISSED_ENDINGS_OF_ALL = 200
"""How many such matches are kept for all bots together."""
MOST_REMEMBERED = 10_000
"""Of how many versions it is known for how long they were here."""

OnPresence = Callable[[BotIdentity, int | None], None]
"""Is told of a bot how many matches it plays at once, 0 when it wants no new one, or None when it is gone."""
OnRoom = Callable[[str], None]


@dataclass(eq=False, slots=True)
class Member:
    """A bot that is here, or has a match that goes on."""

    bot: BotIdentity
    room: int
    """How many matches it plays at once; 0 if it wants no new one."""
    connection: RemoteConnection | None
    seats: dict[str, RemoteSeat] = field(default_factory=dict)
    """By match id."""
    missed_endings: deque[Sequence[bytes]] = field(default_factory=lambda: deque(maxlen=MOST_MISSED_ENDINGS))
    """What it is told when it comes back of matches that are over."""
    was_rated: bool = False
    """Whether the match that it began last counts for ratings."""

    @property
    def has_room(self) -> bool:
        """Whether it can play another match now."""
        return self.connection is not None and len(self.seats) < self.room

    def plays(self, game: str) -> bool:
        """Return whether it joined for that game."""
        return game in self.bot.games or EVERY_GAME in self.bot.games


class Lobby:
    """Knows all members. `on_room` is called with the version of each bot that came or has room again."""

    def __init__(self, on_presence: OnPresence, on_room: OnRoom = lambda _version: None) -> None:
        self._on_presence = on_presence
        self.on_room = on_room
        self._members: dict[str, Member] = {}
        """By the name of the bot."""
        self._by_version: dict[str, Member] = {}
        self._here_since: dict[str, float] = {}
        self._was_here_s: dict[str, float] = {}
        """For how long in all, until it was gone last; whoever was gone last stands last."""
        self._loop = asyncio.get_running_loop()

    def find(self, version: str) -> Member | None:
        """Return the member that plays as `version`, is connected and wants matches, or None."""
        member = self._by_version.get(version)
        return member if member is not None and member.connection is not None and member.room else None

    def here_s(self, version: str) -> float:
        """Return for how many seconds in all `version` has been here and wanted matches.

        It never goes back unless the version was forgotten, and between two calls grows by no more than the time.
        """
        now = self._loop.time()
        return self._was_here_s.get(version, 0.0) + now - self._here_since.get(version, now)

    # Coming and going.

    def enter(self, connection: RemoteConnection, bot: BotIdentity, room: int) -> Member:
        """Take a bot in that has joined; it goes on where it was, and with a negative `room` begins nothing new.

        Raises StreamRefusedError if another version plays.
        """
        known = self._members.get(bot.name)
        if known is not None and known.bot.version != bot.version:
            if known.seats:
                raise StreamRefusedError(version_in_play(bot.name, len(known.seats)))
            self._end(known, SUPERSEDED)
            self._by_version.pop(known.bot.version, None)
            known = None
        member = known or Member(bot, room, None)
        self._members[bot.name] = self._by_version[bot.version] = member
        before, member.connection = member.connection, connection
        had_room = before is not None and member.room > 0
        member.bot, member.room = bot, 0 if room < 0 else max(1, min(room, MOST_ROOM))
        if before is not None:
            before.close(SUPERSEDED)
        if had_room and not member.room:
            self._note_gone(bot.version)
        if member.room:
            self._here_since.setdefault(bot.version, self._loop.time())
        connection.post(encode_joined(member.bot.games))
        for ending in member.missed_endings:
            for message in ending:
                connection.post(message)
        member.missed_endings.clear()
        for seat in member.seats.values():
            seat.connect(connection)
        self._on_presence(bot, member.room)
        self.on_room(bot.version)
        self._part_if_done(member)
        return member

    def leave(self, member: Member, connection: RemoteConnection) -> None:
        """Note that a connection has ended; nothing happens if another one has taken over."""
        if member.connection is not connection:
            return
        member.connection = None
        for seat in member.seats.values():
            seat.disconnect()
        if member.room:
            self._note_gone(member.bot.version)
        self._on_presence(member.bot, None)
        self._forget_if_idle(member)

    def _part_if_done(self, member: Member) -> None:
        if not member.room and not member.seats and member.connection is not None:
            member.connection.finish()

    def end_tokens(self, digests: Sequence[str], error: Status) -> None:
        """End the streams of those who came with these tokens."""
        for member in list(self._members.values()):
            if member.bot.digest in digests:
                self._end(member, error)

    def end_all(self, error: Status) -> None:
        """End all streams."""
        for member in list(self._members.values()):
            self._end(member, error)

    def _end(self, member: Member, error: Status) -> None:
        if member.connection is not None:
            connection = member.connection
            connection.close(error)
            self.leave(member, connection)

    def _forget_if_idle(self, member: Member) -> None:
        is_idle = member.connection is None and not member.seats and not member.missed_endings
        if is_idle and self._members.get(member.bot.name) is member:
            del self._members[member.bot.name]
            self._by_version.pop(member.bot.version, None)

    def _note_gone(self, version: str) -> None:
        here_s = self.here_s(version)
        self._here_since.pop(version, None)
        self._was_here_s.pop(version, None)
        self._was_here_s[version] = here_s
        if len(self._was_here_s) > MOST_REMEMBERED:
            del self._was_here_s[next(iter(self._was_here_s))]

    # Matches.

    def seat(self, member: Member, match_id: str) -> RemoteSeat:
        """Return a seat in a match for a member that has room."""
        seat = member.seats[match_id] = RemoteSeat(match_id, member.connection)
        return seat

    def unseat(self, version: str, match_id: str, *, is_over: bool) -> None:
        """Give up a seat in a match that is over, or was broken off."""
        member = self._by_version.get(version)
        if member is None or (seat := member.seats.pop(match_id, None)) is None:
            return
        if ending := seat.end(is_over=is_over):
            # It is kept for a bot that is away; if there are too many, those of the bot go that came first.
            member.missed_endings.append(ending)
            while sum(len(one.missed_endings) for one in self._members.values()) > MOST_MISSED_ENDINGS_OF_ALL:
                oldest = next(one for one in self._members.values() if one.missed_endings)
                oldest.missed_endings.clear()
                self._forget_if_idle(oldest)
        self._part_if_done(member)
        self._forget_if_idle(member)
        self.on_room(version)

    def receive(self, member: Member, connection: RemoteConnection, data: bytes, at: float) -> None:
        """Hand a message that came over a connection to the match that it belongs to."""
        message = parse_request(data)
        if member.connection is not connection:
            return  # another one has taken over, and this one is ending
        if isinstance(message, Leave):
            if member.room:
                member.room = 0
                self._note_gone(member.bot.version)
                self._on_presence(member.bot, 0)
            self._part_if_done(member)
        elif isinstance(message, Answer | Resignation):
            seat = member.seats.get(message.match_id)
            if seat is not None and seat.is_open:
                seat.deliver(message, data, at)
            else:
                connection.count_stray()
        elif len(open_seats := [seat for seat in member.seats.values() if seat.is_open]) == 1:
            open_seats[0].deliver(message, data, at)
        else:
            connection.close(malformed(message.why))


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

    def end(self, *, is_over: bool) -> Sequence[bytes]:
        """End the match for the bot; without `is_over` it was broken off.

        Return the messages that a bot which is away must get when it comes back; none if it is here.
        """
        messages = self._resume()
        if self._mailbox is None:
            return messages if is_over or not messages else (messages[0], encode_broken_off(self.match_id))
        if messages and not is_over:
            self._mailbox.post(encode_broken_off(self.match_id))
        return ()
