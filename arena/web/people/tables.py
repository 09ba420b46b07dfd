"""All tables of an arena: opened within the limits, found again by their keys, cleared away when they are over.

    async with GameTables(...) as tables:          # takes up the tables that another process left
        table = await tables.open(visitor, address, order)
        table.seats[0].choose(ply, action)
        tables.find(table.key)

With a `file` the tables outlive their process.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

from arena.model.errors import ClientError
from arena.model.human_play import PlayLimits
from arena.model.live import MatchEvent
from arena.rpc.channel import UNIX, Endpoint
from arena.rpc.login import connect
from arena.web.middleware.rate_limits import counted_address, limited_address
from arena.web.people.errors import (
    AllSeatsTakenError,
    NoTableError,
    RatedError,
    SeatTakenError,
    ServiceRefusedError,
    TooManySeatsError,
    TooManyTablesError,
)
from arena.web.people.game_table import (
    GameTable,
    Party,
    SavedTable,
    TableDetails,
    TableOrder,
    load_tables,
    new_key,
    parties_of,
    save_tables,
    shown_name,
)
from arena.web.people.service_client import MatchWatch, ServiceClient, request_of
from arena.web.people.visitor_accounts import ConnectedSeat, VisitorAccounts, leave_seat, wait_until_seated
from arena.web.shared.public_message import public_message
from arena.web.shared.site import Site
from engine.translatable import Text

LOOK_EVERY_S = 5.0
"""How often it is asked what became of matches of which the visitors hear nothing."""
GIVEN_UP = "given_up"
"""Why a table has no match for which not everybody came: in place of a sentence of the service."""
KEPT_OVER_S = 1800.0
"""For how long a table that is over can still be looked at."""
SEATS, TABLES = "seats.sock", "tables.json"
"""Beside the socket of the service: where visitors sit down, and the file in which tables are remembered."""
_HOUR_S = 3600.0
_MOST_ADDRESSES = 10_000
"""Those that opened one longest ago are forgotten."""


@asynccontextmanager
async def open_tables(site: Site) -> AsyncIterator[GameTables | None]:
    """Open the tables of a site; None where nobody can sit down."""
    service = site.service
    if service is None or not site.takes_people:
        yield None
        return
    run = Path(service.removeprefix(UNIX)).parent
    organiser = ServiceClient(partial(connect, service))
    async with GameTables(site.people, Endpoint(f"{UNIX}{run / SEATS}"), organiser, run / TABLES) as game_tables:
        yield game_tables


class GameTables:
    """The tables of people. Async context manager; its methods are called in the event loop that entered it."""

    def __init__(self, rules: PlayLimits, seats: Endpoint, service: ServiceClient, file: Path | None = None) -> None:
        """`seats` is where visitors sit down, `service` opens tables; with a `file` tables outlive this process."""
        self.rules = rules
        self._service = service
        self._file = file
        self._rate_limit = TableRateLimit(rules.per_hour)
        self._accounts = VisitorAccounts(seats, rules)
        self._tables: list[GameTable] = []
        self._keys: dict[str, GameTable] = {}
        """By the key of each party, and by each invitation that waits."""
        self._watches: dict[GameTable, MatchWatch] = {}
        self._looking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop

    async def __aenter__(self) -> Self:
        """Take up the tables that another process left."""
        self._loop = asyncio.get_running_loop()
        for kept in load_tables(self._file):
            self._take_up(kept)
        self._looking = asyncio.create_task(self._look_again_and_again())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Leave the seats; the tables can be taken up again as long as their clocks last."""
        if self._looking is not None:
            self._looking.cancel()
        for watch in self._watches.values():
            watch.close()
        chairs = [chair for table in self._tables for chair in table.chairs.values()]
        await asyncio.gather(*map(leave_seat, chairs))

    @property
    def free(self) -> int:
        """Return how many people can still sit down."""
        return self._accounts.free

    def find(self, key: str) -> GameTable:
        """Return the table at which a key opens a seat, or invites to one. Raises NoTableError, SeatTakenError."""
        if (table := self._keys.get(key)) is not None:
            return table
        if any(party.invitation == key for one in self._tables for party in one.parties):
            raise SeatTakenError("somebody has taken this seat; ask for another invitation")
        raise NoTableError(Text("there is no such table any more; open another one"))

    def tables_of(self, visitor: str) -> list[tuple[GameTable, Party]]:
        """Return where a visitor plays, the newest first."""
        return [(table, one) for table in reversed(self._tables) for one in table.parties if one.visitor == visitor]

    async def open(self, visitor: str, address: str, order: TableOrder) -> GameTable:
        """Open a table and let the visitor sit down; its match begins when all who are invited have come.

        Raises AllSeatsTakenError, TooManyError, NotReachedError; ClientError with what the service says against it.
        """
        if order.people > self.free:
            raise AllSeatsTakenError(
                f"only {self.free} of {self.rules.most} seats are free; try again in some minutes",
                free=self.free,
                most=self.rules.most,
            )
        self._check_held(visitor, order.people)
        if (opened_there := limited_address(address)) is not None:  # without a cookie a visitor is a new one each time
            held = sum(
                not seat.is_over for table in self._tables if table.address == opened_there for seat in table.seats
            )
            _need_room(held, order.people, max(self.rules.per_visitor, self.rules.most // 2))
        if order.rated and not self.rules.rated:
            raise RatedError("people play unrated matches here; leave the match unrated")
        self._rate_limit.count(counted_address(address))
        names = self._accounts.take(order.people)
        persons = order.persons()
        places = [seat for seat, bot in enumerate(order.sitting) if bot is None]
        about, counted = TableDetails(order, order.called(), time.time()), counted_address(address)
        table = GameTable(about, {}, parties_of(order, visitor), address=counted)
        chairs = {
            seat: self._connect(table, seat, persons[seat], name) for seat, name in zip(places, names, strict=True)
        }
        table.chairs = chairs
        try:
            await wait_until_seated(chairs.values())
            if not order.invited:
                await self._begin(table)
        except BaseException:
            await asyncio.gather(*map(leave_seat, chairs.values()))
            self._accounts.give_back(names)
            raise
        return self._add(table)

    async def sit(self, table: GameTable, invitation: str, visitor: str, name: str) -> Party:
        """Let somebody who is invited take his seat, under a name if he gives one; the last one begins the match.

        Raises SeatTakenError, TooManySeatsError, ServiceRefusedError.
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
            try:
                await self._begin(table)
            except ClientError as error:
                for seat in table.seats:
                    seat.lose(public_message(error))
                raise ServiceRefusedError(str(error), why=public_message(error)) from error
            for seat in table.seats:
                seat.expect(table.about.match_id)
        self._save()
        table.change()
        return party

    async def _begin(self, table: GameTable) -> None:
        opened = await asyncio.to_thread(self._service.open_table, request_of(table, self.rules))
        table.about = replace(table.about, tournament=opened.tournament, match_id=opened.match_id)
        self._watch(table)

    def leave(self, table: GameTable) -> None:
        """Give up all seats of people at a table that are not over; one that still gathers is over at once."""
        for seat in table.seats:
            if table.is_gathering:
                seat.lose(GIVEN_UP)
            else:
                seat.resign()

    def _check_held(self, visitor: str, more: int) -> None:
        """Raise TooManySeatsError if a visitor may not have so many seats more; those that wait for others are his."""
        held = sum(
            not table.chairs[seat].seat.is_over
            for table in self._tables
            for party in table.parties
            if (party.visitor or table.parties[0].visitor) == visitor
            for seat in party.seats
        )
        _need_room(held, more, self.rules.per_visitor)

    # Visitors.

    def _connect(self, table: GameTable, number: int, person: str, account: str) -> ConnectedSeat:
        return self._accounts.seat(account, number, person, lambda: self._note(table))

    def _note(self, table: GameTable) -> None:
        """Wake those who look at a table; free the accounts of one that is over, which is kept for a while."""
        if table not in self._tables:
            return
        table.change()
        if not table.is_over or table.over_since is not None:
            return
        table.over_since = self._loop.time()
        for chair in table.chairs.values():
            chair.seat.close()
            if chair.running is not None:
                chair.running.cancel()
        self._accounts.give_back([chair.connection.name for chair in table.chairs.values()])
        self._save()

    # Tables.

    def _add(self, table: GameTable) -> GameTable:
        self._tables.append(table)
        for party in table.parties:
            self._keys[party.invitation if party.is_awaited else party.key] = table
        if table.about.match_id:
            for seat in table.seats:
                seat.expect(table.about.match_id)
        self._save()
        self._note(table)
        return table

    def _watch(self, table: GameTable) -> None:
        def receive(event: MatchEvent) -> None:
            table.following.take(event)
            table.change()

        def lose() -> None:
            table.following.lose()
            table.change()

        self._watches[table] = MatchWatch(table.about.match_id, self._service.open_watch, receive, lose)

    def _take_up(self, kept: SavedTable) -> None:
        if not self._accounts.take_these(kept.accounts.values()):
            return
        table = GameTable(kept.about, {}, kept.parties)
        names = kept.about.names
        table.chairs = {seat: self._connect(table, seat, names[seat], name) for seat, name in kept.accounts.items()}
        self._add(table)
        if table.about.match_id:
            self._watch(table)

    def _save(self) -> None:
        tables = [table for table in self._tables if table.over_since is None]
        kept = (
            SavedTable(
                one.about, {seat: chair.connection.name for seat, chair in one.chairs.items()}, tuple(one.parties)
            )
            for one in tables
        )
        with suppress(OSError):  # a full disk: the tables are lost only if this process ends, too
            save_tables(self._file, list(kept))

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            now = self._loop.time()
            for table in list(self._tables):
                if table.over_since is not None and now - table.over_since > KEPT_OVER_S:
                    self._tables.remove(table)
                    self._keys = {key: one for key, one in self._keys.items() if one is not table}
                    if (watch := self._watches.pop(table, None)) is not None:
                        watch.close()
                elif table.is_gathering and time.time() - table.about.opened_at > self.rules.idle_s:
                    self.leave(table)
                elif table.about.match_id and any(seat.is_waiting for seat in table.seats):
                    with suppress(ClientError):
                        found = await asyncio.to_thread(self._service.find, table.about.match_id)
                        for each in table.seats:
                            if found.ending is not None:
                                each.end(found.ending)
                            elif found.lost:
                                each.lose(found.lost)


def _need_room(held: int, more: int, most: int) -> None:
    if held + more > most:
        raise TooManySeatsError(
            f"you have {held} seats, and may have {most} at once; play or leave a table first", held=held, most=most
        )


class TableRateLimit:
    """Counts the tables that were opened, by address."""

    def __init__(self, per_hour: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_hour = per_hour
        self._clock = clock
        self._opened: OrderedDict[str, deque[float]] = OrderedDict()

    def count(self, address: str) -> None:
        """Count another table. Raises TooManyTablesError, with the time to wait, and counts nothing then."""
        times = self._opened.setdefault(address, deque(maxlen=self._per_hour))
        now = self._clock()
        if len(times) == self._per_hour and times[0] > now - _HOUR_S:
            minutes = max(1, round((times[0] + _HOUR_S - now) / 60))
            raise TooManyTablesError(
                f"from your address {self._per_hour} tables were opened within an hour; try again in {minutes} minutes",
                most=self._per_hour,
                count=minutes,
            )
        times.append(now)
        self._opened.move_to_end(address)
        while len(self._opened) > _MOST_ADDRESSES:
            self._opened.popitem(last=False)
