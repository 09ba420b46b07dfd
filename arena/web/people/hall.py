"""All tables of an arena: opened within the limits, found again by their keys, cleared away when they are over.

async with Hall(...) as hall:          # takes up the tables that another process left
table = await hall.open(visitor, address, order)
table.seats[0].choose(ply, action)
hall.find(table.about.key)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from arena.client.errors import ClientError
from arena.client.there.channel import Endpoint
from arena.client.values.people import TableRequest, guest_bot, guest_names
from arena.web.frame.site import Rules
from arena.web.guarding.limits import limited_address
from arena.web.people.desk import Desk, Found
from arena.web.people.errors import FullError, HeldError, NoTableError, NotReachedError, RatedError
from arena.web.people.guest import Guest
from arena.web.people.keeping import Kept, load, save
from arena.web.people.limits import Pacer
from arena.web.people.seat import Seat
from arena.web.people.table import About, Chair, Table, new_key
from arena.web.people.values import Order, time_of

ENTER_PATIENCE_S = 15.0
"""How long the service may take to let guests in before a visitor is told to try again."""
LOOK_EVERY_S = 5.0
"""How often it is asked what became of matches of which the guests hear nothing."""
KEPT_OVER_S = 1800.0
"""For how long a table that is over can still be looked at."""


class Hall:
    """The tables of people. Async context manager; its methods are called in the event loop that entered it."""

    def __init__(self, rules: Rules, seats: Endpoint, desk: Desk, file: Path | None = None) -> None:
        """`seats` is where guests sit down, `desk` opens tables; with a `file` tables outlive this process."""
        self.rules = rules
        self._endpoint = seats
        self._desk = desk
        self._file = file
        self._pacer = Pacer(rules.per_hour)
        self._free = list(reversed(guest_names(rules.most)))
        self._tables: dict[str, Table] = {}
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
        chairs = [chair for table in self._tables.values() for chair in table.chairs.values()]
        await asyncio.gather(*map(_stand_up, chairs))

    @property
    def free(self) -> int:
        """Return how many people can still sit down."""
        return len(self._free)

    def find(self, key: str) -> Table:
        """Return the table with that key. Raises NoTableError."""
        table = self._tables.get(key)
        if table is None:
            raise NoTableError("there is no such table any more; open another one")
        return table

    def tables_of(self, visitor: str) -> list[Table]:
        """Return the tables that a visitor opened, the newest first."""
        return [table for table in reversed(self._tables.values()) if table.about.visitor == visitor]

    async def open(self, visitor: str, address: str, order: Order) -> Table:
        """Open a table and let the visitor sit down.

        Raises FullError, TooManyError, NotReachedError; ClientError with what the service says against the order.
        """
        self._check(visitor, address, order)
        names = self._take_guests(order.people)
        key, places = new_key(), [seat for seat, bot in enumerate(order.sitting) if bot is None]
        persons = order.persons()
        chairs = {seat: self._chair(key, seat, persons[seat], name) for seat, name in zip(places, names, strict=True)}
        try:
            await self._let_in(chairs)
            opened = await asyncio.to_thread(self._desk.open_table, self._request(order, persons, chairs))
        except BaseException:
            await asyncio.gather(*map(_stand_up, chairs.values()))
            self._free += reversed(names)
            raise
        shown = tuple(person or bot or "" for person, bot in zip(persons, order.sitting, strict=True))
        about = About(
            key, visitor, order.game, shown, order.pace, order.rated, time.time(), opened.tournament, opened.match_id
        )
        return self._add(Table(about, chairs, address=address))

    def leave(self, table: Table) -> None:
        """Give up all seats of a table that are not over; others at it are not affected."""
        for seat in table.seats:
            seat.resign()

    def _check(self, visitor: str, address: str, order: Order) -> None:
        if order.people > len(self._free):
            raise FullError(
                f"only {len(self._free)} of {self.rules.most} seats are free; try again in some minutes",
                free=len(self._free),
                most=self.rules.most,
            )
        _need_seats(self.tables_of(visitor), order.people, self.rules.per_visitor)
        if limited_address(address) is not None:  # a visitor may say that he is another one, but not from elsewhere
            others = [table for table in self._tables.values() if table.address == address]
            _need_seats(others, order.people, max(self.rules.per_visitor, self.rules.most // 2))
        if order.rated and not self.rules.rated:
            raise RatedError("people play unrated matches here; leave the match unrated")
        self._pacer.count(address)

    def _take_guests(self, count: int) -> list[str]:
        return [self._free.pop() for _ in range(count)]

    def _request(self, order: Order, persons: tuple[str, ...], chairs: Mapping[int, Chair]) -> TableRequest:
        bots = [guest_bot(chairs[seat].guest.name) if bot is None else bot for seat, bot in enumerate(order.sitting)]
        return TableRequest(
            game=order.game,
            bots=tuple(bots),
            people=persons,
            time=time_of(order.pace, self.rules),
            options=order.options,
            rated=order.rated,
        )

    # Guests.

    def _chair(self, key: str, number: int, person: str, name: str) -> Chair:
        guest = Guest(self._endpoint, name, lambda response: seat.hear(response), lambda: self._note(key))
        seat = Seat(number, person, guest.send, self.rules.idle_s, lambda: self._note(key))
        chair = Chair(seat, guest)
        chair.running = asyncio.create_task(_sit(chair))
        return chair

    def _note(self, key: str) -> None:
        if (table := self._tables.get(key)) is not None:
            table.change()
            if table.is_over and table.over_since is None:
                self._end(table)

    async def _let_in(self, chairs: Mapping[int, Chair]) -> None:
        """Wait until the service has let all guests in. Raises NotReachedError."""
        for chair in chairs.values():
            entering = asyncio.create_task(chair.guest.wait_until_in())
            waiting = {entering} if chair.running is None else {entering, chair.running}
            await asyncio.wait(waiting, timeout=ENTER_PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            entering.cancel()
            if not chair.guest.is_in:
                why = chair.seat.lost or "the arena does not let you in just now; try again in a minute"
                raise NotReachedError(why)

    # Tables.

    def _add(self, table: Table) -> Table:
        self._tables[table.about.key] = table
        for seat in table.seats:
            seat.expect(table.about.match_id)
        self._save()
        self._note(table.about.key)
        return table

    def _take_up(self, kept: Kept) -> None:
        if not set(kept.guests.values()) <= set(self._free):
            return
        self._free = [name for name in self._free if name not in kept.guests.values()]
        about = kept.about
        chairs = {seat: self._chair(about.key, seat, about.names[seat], name) for seat, name in kept.guests.items()}
        self._add(Table(about, chairs))

    def _end(self, table: Table) -> None:
        """Free the guests of a table that is over; it can be looked at for a while."""
        table.over_since = self._loop.time()
        for chair in table.chairs.values():
            chair.seat.close()
            if chair.running is not None:
                chair.running.cancel()
            self._free.append(chair.guest.name)
        self._save()

    def _save(self) -> None:
        tables = [table for table in self._tables.values() if table.over_since is None]
        kept = (Kept(one.about, {seat: chair.guest.name for seat, chair in one.chairs.items()}) for one in tables)
        with suppress(OSError):  # a full disk: the tables are lost only if this process ends, too
            save(self._file, list(kept))

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            now = self._loop.time()
            for key, table in list(self._tables.items()):
                if table.over_since is not None and now - table.over_since > KEPT_OVER_S:
                    del self._tables[key]
                elif any(seat.is_waiting for seat in table.seats):
                    await self._look_at(table)

    async def _look_at(self, table: Table) -> None:
        """Ask what became of a match of which a guest has heard nothing yet, or nothing since the service's restart."""
        with suppress(ClientError):
            found = await asyncio.to_thread(self._desk.find, table.about.match_id)
            for seat in table.seats:
                _apply(found, seat)


def _need_seats(tables: Sequence[Table], more: int, most: int) -> None:
    """Raise HeldError if so many more seats beside those at some tables are more than somebody may have."""
    held = sum(not seat.is_over for table in tables for seat in table.seats)
    if held + more > most:
        raise HeldError(
            f"you have {held} seats, and may have {most} at once; play or leave a table first", held=held, most=most
        )


def _apply(found: Found, seat: Seat) -> None:
    if found.ending is not None:
        seat.end(found.ending)
    elif found.lost:
        seat.lose(found.lost)


async def _sit(chair: Chair) -> None:
    try:
        await chair.guest.run()
    except ClientError as error:
        chair.seat.lose(str(error))


async def _stand_up(chair: Chair) -> None:
    chair.seat.close()
    if chair.running is not None:
        chair.running.cancel()
        await asyncio.gather(chair.running, return_exceptions=True)
