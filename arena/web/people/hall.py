"""All tables of an arena: opened within the limits, found again by their keys, cleared away when they are over.

async with Hall(...) as hall:          # takes up the tables that another process left
table = await hall.open(visitor, address, order)
table.seats[0].choose(ply, action)
hall.find(table.key)
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from arena.model.errors import ClientError
from arena.model.live import MatchEvent
from arena.rpc.channel import Endpoint
from arena.web.frame.site import Rules
from arena.web.guarding.limits import counted_address, limited_address
from arena.web.people.desk import Desk, Found, request_of
from arena.web.people.errors import (
    FullError,
    HeldError,
    NoTableError,
    RatedError,
    SeatTakenError,
    ServiceRefusedError,
)
from arena.web.people.guests import Guests, let_in, stand_up
from arena.web.people.keeping import Kept, load, save
from arena.web.people.limits import Pacer
from arena.web.people.seat import Seat
from arena.web.people.table import About, Chair, Party, Table, new_key, parties_of
from arena.web.people.values import Order, shown_name
from arena.web.people.watching import Watching
from arena.web.strangers.sentences import sentence_of
from engine.text import Text

LOOK_EVERY_S = 5.0
"""How often it is asked what became of matches of which the guests hear nothing."""
GIVEN_UP = "given_up"
"""Why a table has no match for which not everybody came: in place of a sentence of the service."""
KEPT_OVER_S = 1800.0
"""For how long a table that is over can still be looked at."""


class Hall:
    """The tables of people. Async context manager; its methods are called in the event loop that entered it."""

    def __init__(self, rules: Rules, seats: Endpoint, desk: Desk, file: Path | None = None) -> None:
        """`seats` is where guests sit down, `desk` opens tables; with a `file` tables outlive this process."""
        self.rules = rules
        self._desk = desk
        self._file = file
        self._pacer = Pacer(rules.per_hour)
        self._guests = Guests(seats, rules)
        self._tables: list[Table] = []
        self._keys: dict[str, Table] = {}
        """By the key of each party, and by each invitation that waits."""
        self._watches: dict[Table, Watching] = {}
        self._looking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop

    async def __aenter__(self) -> Self:
        """Take up the tables that another process left."""
        self._loop = asyncio.get_running_loop()
        for kept in load(self._file):
            self._take_up(kept)
        self._looking = asyncio.create_task(self._look_again_and_again())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Leave the seats; the tables can be taken up again as long as their clocks last."""
        if self._looking is not None:
            self._looking.cancel()
        for watching in self._watches.values():
            watching.close()
        chairs = [chair for table in self._tables for chair in table.chairs.values()]
        await asyncio.gather(*map(stand_up, chairs))

    @property
    def free(self) -> int:
        """Return how many people can still sit down."""
        return self._guests.free

    def find(self, key: str) -> Table:
        """Return the table at which a key opens a seat, or invites to one. Raises NoTableError, SeatTakenError."""
        if (table := self._keys.get(key)) is not None:
            return table
        if any(party.invitation == key for one in self._tables for party in one.parties):
            raise SeatTakenError("somebody has taken this seat; ask for another invitation")
        raise NoTableError(Text("web.no_such_table_any_more", "there is no such table any more; open another one"))

    def tables_of(self, visitor: str) -> list[tuple[Table, Party]]:
        """Return where a visitor plays, the newest first."""
        return [(table, one) for table in reversed(self._tables) for one in table.parties if one.visitor == visitor]

    async def open(self, visitor: str, address: str, order: Order) -> Table:
        """Open a table and let the visitor sit down; its match begins when all who are invited have come.

        Raises FullError, TooManyError, NotReachedError; ClientError with what the service says against the order.
        """
        self._check(visitor, address, order)
        names = self._guests.take(order.people)
        persons = order.persons()
        places = [seat for seat, bot in enumerate(order.sitting) if bot is None]
        about, counted = About(order, order.called(), time.time()), counted_address(address)
        table = Table(about, {}, parties_of(order, visitor), address=counted)
        chairs = {seat: self._chair(table, seat, persons[seat], name) for seat, name in zip(places, names, strict=True)}
        table.chairs = chairs
        try:
            await let_in(chairs.values())
            if not order.invited:
                await self._begin(table)
        except BaseException:
            await asyncio.gather(*map(stand_up, chairs.values()))
            self._guests.give_back(names)
            raise
        return self._add(table)

    async def sit(self, table: Table, invitation: str, visitor: str, name: str) -> Party:
        """Let somebody who is invited take his seat, under a name if he gives one; the last one begins the match.

        Raises SeatTakenError, HeldError, ServiceRefusedError.
        """
        party = next((one for one in table.parties if one.is_awaited and one.invitation == invitation), None)
        if party is None or not table.is_gathering:
            raise SeatTakenError("somebody has taken this seat; ask for another invitation")
        self._check_held(visitor, len(party.seats))
        party.visitor, party.key = visitor, new_key()
        del self._keys[invitation]
        self._keys[party.key] = table
        if named := shown_name(name):
            table.name(party.seats[0], named)
        if not table.missing:
            await self._begin_late(table)
        self._save()
        table.change()
        return party

    async def _begin_late(self, table: Table) -> None:
        """Begin a match for which everybody has come now. Raises ServiceRefusedError; the table is over then."""
        try:
            await self._begin(table)
        except ClientError as error:
            for seat in table.seats:
                seat.lose(sentence_of(error))
            raise ServiceRefusedError(str(error), why=sentence_of(error)) from error
        for seat in table.seats:
            seat.expect(table.about.match_id)

    async def _begin(self, table: Table) -> None:
        opened = await asyncio.to_thread(self._desk.open_table, request_of(table, self.rules))
        table.about = replace(table.about, tournament=opened.tournament, match_id=opened.match_id)
        self._watch(table)

    def leave(self, table: Table) -> None:
        """Give up all seats of people at a table that are not over; one that still gathers is over at once."""
        for seat in table.seats:
            if table.is_gathering:
                seat.lose(GIVEN_UP)
            else:
                seat.resign()

    def _check(self, visitor: str, address: str, order: Order) -> None:
        if order.people > self.free:
            raise FullError(
                f"only {self.free} of {self.rules.most} seats are free; try again in some minutes",
                free=self.free,
                most=self.rules.most,
            )
        self._check_held(visitor, order.people)
        self._check_address(address, order.people)
        if order.rated and not self.rules.rated:
            raise RatedError("people play unrated matches here; leave the match unrated")
        self._pacer.count(counted_address(address))

    def _check_held(self, visitor: str, more: int) -> None:
        """Raise HeldError if a visitor may not have so many seats more; those that wait for others count as his."""
        held = sum(
            not table.chairs[seat].seat.is_over
            for table in self._tables
            for party in table.parties
            if (party.visitor or table.parties[0].visitor) == visitor
            for seat in party.seats
        )
        _need_room(held, more, self.rules.per_visitor)

    def _check_address(self, address: str, more: int) -> None:
        """Raise HeldError if an address would have more than half of all seats: who throws his cookie away is new."""
        if (counted := limited_address(address)) is not None:
            held = sum(not seat.is_over for table in self._tables if table.address == counted for seat in table.seats)
            _need_room(held, more, max(self.rules.per_visitor, self.rules.most // 2))

    # Guests.

    def _chair(self, table: Table, number: int, person: str, guest: str) -> Chair:
        return self._guests.chair(guest, number, person, lambda: self._note(table))

    def _note(self, table: Table) -> None:
        if table in self._tables:
            table.change()
            if table.is_over and table.over_since is None:
                self._end(table)

    # Tables.

    def _add(self, table: Table) -> Table:
        self._tables.append(table)
        for party in table.parties:
            self._keys[party.invitation if party.is_awaited else party.key] = table
        if table.about.match_id:
            for seat in table.seats:
                seat.expect(table.about.match_id)
        self._save()
        self._note(table)
        return table

    def _watch(self, table: Table) -> None:
        """Have what happens in the match told at the table, as long as it goes on."""

        def hear(event: MatchEvent) -> None:
            table.following.take(event)
            table.change()

        def lose() -> None:
            table.following.lose()
            table.change()

        self._watches[table] = Watching(table.about.match_id, self._desk.open_watch, hear, lose)

    def _take_up(self, kept: Kept) -> None:
        if not self._guests.take_these(kept.guests.values()):
            return
        table = Table(kept.about, {}, kept.parties)
        names = kept.about.names
        table.chairs = {seat: self._chair(table, seat, names[seat], name) for seat, name in kept.guests.items()}
        self._add(table)
        if table.about.match_id:
            self._watch(table)

    def _end(self, table: Table) -> None:
        """Free the guests of a table that is over; it can be looked at for a while."""
        table.over_since = self._loop.time()
        for chair in table.chairs.values():
            chair.seat.close()
            if chair.running is not None:
                chair.running.cancel()
        self._guests.give_back([chair.guest.name for chair in table.chairs.values()])
        self._save()

    def _clear_away(self, table: Table) -> None:
        self._tables.remove(table)
        self._keys = {key: one for key, one in self._keys.items() if one is not table}
        if (watching := self._watches.pop(table, None)) is not None:
            watching.close()

    def _save(self) -> None:
        tables = [table for table in self._tables if table.over_since is None]
        kept = (
            Kept(one.about, {seat: chair.guest.name for seat, chair in one.chairs.items()}, tuple(one.parties))
            for one in tables
        )
        with suppress(OSError):  # a full disk: the tables are lost only if this process ends, too
            save(self._file, list(kept))

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            now = self._loop.time()
            for table in list(self._tables):
                if table.over_since is not None and now - table.over_since > KEPT_OVER_S:
                    self._clear_away(table)
                elif table.is_gathering and time.time() - table.about.opened_at > self.rules.idle_s:
                    self.leave(table)
                elif table.about.match_id and any(seat.is_waiting for seat in table.seats):
                    await self._look_at(table)

    async def _look_at(self, table: Table) -> None:
        """Ask what became of a match of which a guest has heard nothing yet, or nothing since the service's restart."""
        with suppress(ClientError):
            found = await asyncio.to_thread(self._desk.find, table.about.match_id)
            for seat in table.seats:
                _apply(found, seat)


def _apply(found: Found, seat: Seat) -> None:
    if found.ending is not None:
        seat.end(found.ending)
    elif found.lost:
        seat.lose(found.lost)


def _need_room(held: int, more: int, most: int) -> None:
    if held + more > most:
        raise HeldError(
            f"you have {held} seats, and may have {most} at once; play or leave a table first", held=held, most=most
        )
