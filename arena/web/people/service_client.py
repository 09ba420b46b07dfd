"""What the tables of people ask the service for: to order a match, look it up and watch it. Its threads may block."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread

from arena.model.human_play import OpenedTable, PlayLimits, TableRequest, guest_bot
from arena.model.live import MatchEvent
from arena.model.port import ArenaPort
from arena.web.people.game_table import GameTable, time_of
from arena.web.people.human_seat import SeatEnding
from ratings.values.states import MatchState

Watch = Callable[[str], Iterator[MatchEvent]]
"""Yields the events of a match, from its start to its end. Raises ClientError."""
Opened = tuple[Watch, Callable[[], None]]
"""A watch, and what breaks it off."""
PAUSE_S = 1.0
"""How long to wait before a watch that broke off is begun again."""


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """How a match ended, if it is over."""

    ending: SeatEnding | None = None
    lost: str = ""
    """Why it has no result, in a sentence."""


def request_of(table: GameTable, rules: PlayLimits) -> TableRequest:
    """Return the match of a table as the service is asked for it."""
    order, seated = table.about.order, list(enumerate(table.about.order.sitting))
    return TableRequest(
        game=order.game,
        bots=tuple(guest_bot(table.chairs[seat].connection.name) if bot is None else bot for seat, bot in seated),
        people=tuple("" if bot is not None else table.about.names[seat] for seat, bot in seated),
        time=time_of(order.pace, rules),
        options=order.options,
        rated=order.rated,
    )


class ServiceClient:
    """Asks the service as its organiser, over the socket of this machine; its methods block, and raise ClientError."""

    def __init__(self, connect: Callable[[], AbstractContextManager[ArenaPort]]) -> None:
        self._connect = connect

    def open_watch(self) -> Opened:
        """Return a watch of matches with all that happens in them, hidden chance included, and what breaks it off."""
        opened = ExitStack()
        return opened.enter_context(self._connect()).matches.watch_match, opened.close

    def open_table(self, request: TableRequest) -> OpenedTable:
        """Order the match of a table."""
        with self._connect() as arena:
            return arena.tables.open_table(request)

    def find(self, match_id: str) -> MatchStatus:
        """Return how a match ended; an empty status while it is played, or waits."""
        with self._connect() as arena:
            match = arena.matches.get_match(match_id)
        if match.state == MatchState.FINISHED:
            ranks = tuple(seat.rank or 0 for seat in match.seats)
            return MatchStatus(SeatEnding(ranks, match.details or {}))
        if match.state == MatchState.VOID:
            return MatchStatus(lost="the service gave this match up, and it has no result; open another table")
        return MatchStatus()


class MatchWatch:
    """A thread that watches one match for as long as it is played. Its methods are called in the event loop."""

    def __init__(
        self,
        match: str,
        opener: Callable[[], Opened],
        on_event: Callable[[MatchEvent], None],
        on_break: Callable[[], None],
    ) -> None:
        """`on_event` is told every event, the first ones again after `on_break` was told that the watch broke off."""
        self._match = match
        self._opener = opener
        self._on_event, self._on_break = on_event, on_break
        self._loop = asyncio.get_running_loop()
        self._closed = Event()
        self._lock = Lock()
        self._break_off: Callable[[], None] | None = None
        Thread(target=self._run, name=f"table {match}", daemon=True).start()

    def close(self) -> None:
        """End the watch; nothing more is told of the match."""
        self._closed.set()
        self._end()

    def _run(self) -> None:
        while not self._closed.is_set() and not self._watch():
            self._call_in_loop(self._on_break)
            self._closed.wait(PAUSE_S)

    def _watch(self) -> bool:
        """Return whether the match was watched to its end, or to the end of this watching."""
        with self._lock:
            if self._closed.is_set():
                return True
            watch, self._break_off = self._opener()
        is_over = False
        with suppress(Exception):  # the service is away, or is stopping: the seat tells of it, and it is tried again
            for event in watch(self._match):
                if self._closed.is_set():
                    return True
                is_over = event.end is not None and not event.end.lost
                self._call_in_loop(lambda event=event: self._on_event(event))  # type: ignore[misc]
        self._end()
        return is_over

    def _end(self) -> None:
        with self._lock:
            if self._break_off is not None:
                self._break_off()
                self._break_off = None

    def _call_in_loop(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended, and nobody listens
            self._loop.call_soon_threadsafe(act)
