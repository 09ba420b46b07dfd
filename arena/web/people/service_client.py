"""What the tables of people ask the service for, in threads that may block."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from arena.model.people import OpenedTable, PlayLimits, TableRequest, guest_bot
from arena.model.port import ArenaPort
from arena.web.people.game_table import GameTable
from arena.web.people.match_watch import Opened
from arena.web.people.values import SeatEnding, time_of
from ratings.values.states import MatchState


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """What became of a match, if it is over."""

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
        """Write the match of a table."""
        with self._connect() as arena:
            return arena.tables.open_table(request)

    def find(self, match_id: str) -> MatchStatus:
        """Return what became of a match; nothing while it is played, or waits."""
        with self._connect() as arena:
            match = arena.matches.get_match(match_id)
        if match.state == MatchState.FINISHED:
            ranks = tuple(seat.rank or 0 for seat in match.seats)
            return MatchStatus(SeatEnding(ranks, match.details or {}))
        if match.state == MatchState.VOID:
            return MatchStatus(lost="the service gave this match up, and it has no result; open another table")
        return MatchStatus()
