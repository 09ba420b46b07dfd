"""The matches that wait until their remote bots are here and have room, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.match.result import Fault, FaultCause
from arena.match.spec import MatchSpec
from arena.remote.lobby import Lobby, Member
from arena.remote.seat import RemoteSeat

Place = RemoteSeat | Fault
"""What a remote bot has in a match: a seat, or the fault that it was not there."""


class NotBegunError(Exception):
    """The matches that wait begin no more."""


@dataclass(eq=False, slots=True)
class _Waiter:
    spec: MatchSpec
    since: float
    """By the event loop's clock."""
    places: asyncio.Future[Mapping[int, Place]]
    faults: dict[int, Fault] = field(default_factory=dict)
    """Those for whom it waits no more."""

    @property
    def wanted(self) -> dict[int, str]:
        """The versions that it waits for, by seat."""
        seats = enumerate(self.spec.seats)
        return {index: seat.version for index, seat in seats if seat.is_remote and index not in self.faults}


class WaitingRoom:
    """Gives matches their places as soon as all bots of one have room, the first that can begin first."""

    def __init__(self, lobby: Lobby, patience_s: float) -> None:
        """A bot that is away for `patience_s` while a match waits for it has not started in that match."""
        self._lobby = lobby
        self._patience_s = patience_s
        self._waiting: dict[str, dict[_Waiter, None]] = {}
        """Those who wait for a version, in order: thousands may wait, and only theirs are looked at."""
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        lobby.on_room = self.look

    async def wait(self, spec: MatchSpec) -> Mapping[int, Place]:
        """Return the places of the remote bots of a match by seat. Raises NotBegunError."""
        if self._is_closed:
            raise NotBegunError
        waiter = _Waiter(spec, self._loop.time(), self._loop.create_future())
        self._add(waiter)
        try:
            while True:
                self._try(waiter)
                done, _ = await asyncio.wait({waiter.places}, timeout=self._time_left(waiter))
                if done:
                    return waiter.places.result()
                self._give_up_on_the_absent(waiter)
        except asyncio.CancelledError:
            self._take_back(waiter)
            raise
        finally:
            self._remove(waiter)

    def close(self) -> None:
        """Let nothing begin any more."""
        self._is_closed = True
        for waiter in [waiter for waiters in self._waiting.values() for waiter in waiters]:
            if not waiter.places.done():
                waiter.places.set_exception(NotBegunError())

    def look(self, version: str) -> None:
        """Let matches begin that waited for a version that has room now."""
        for waiter in list(self._waiting.get(version, ())):
            member = self._lobby.find(version)
            if member is None or not member.has_room:
                return
            self._try(waiter)

    def _add(self, waiter: _Waiter) -> None:
        for version in waiter.wanted.values():
            self._waiting.setdefault(version, {})[waiter] = None

    def _remove(self, waiter: _Waiter) -> None:
        for version in {seat.version for seat in waiter.spec.seats if seat.is_remote}:
            waiters = self._waiting.get(version, {})
            waiters.pop(waiter, None)
            if not waiters:
                self._waiting.pop(version, None)

    def _try(self, waiter: _Waiter) -> None:
        """Let a match begin if everybody is there and has room."""
        if waiter.places.done():
            return
        found = {seat: self._lobby.find(version) for seat, version in waiter.wanted.items()}
        self._refuse_other_games(waiter, found)
        members = {seat: member for seat, member in found.items() if seat not in waiter.faults}
        if all(member is not None and member.has_room for member in members.values()):
            match_id = waiter.spec.match_id
            seats = {seat: self._lobby.seat(member, match_id) for seat, member in members.items() if member is not None}
            self._remove(waiter)
            waiter.places.set_result({**seats, **waiter.faults})

    def _refuse_other_games(self, waiter: _Waiter, found: Mapping[int, Member | None]) -> None:
        game = waiter.spec.game
        for seat, member in found.items():
            if member is not None and not member.plays(game):
                waiter.faults[seat] = _absence(seat, f"It joined for other games, not for {game}.")

    def _time_left(self, waiter: _Waiter) -> float | None:
        """Return how long it is until the first of those that are away has been so for too long."""
        ends = [self._end_of(waiter, version) for version in self._away(waiter).values()]
        return max(min(ends) - self._loop.time(), 0.0) if ends else self._patience_s

    def _give_up_on_the_absent(self, waiter: _Waiter) -> None:
        now = self._loop.time()
        for seat, version in self._away(waiter).items():
            if self._end_of(waiter, version) <= now:
                waiter.faults[seat] = _absence(seat, f"It was not connected for {self._patience_s:g} s.")

    def _away(self, waiter: _Waiter) -> dict[int, str]:
        return {seat: version for seat, version in waiter.wanted.items() if self._lobby.find(version) is None}

    def _end_of(self, waiter: _Waiter, version: str) -> float:
        return max(waiter.since, self._lobby.gone_at(version)) + self._patience_s

    def _take_back(self, waiter: _Waiter) -> None:
        """Free the places of a match that was cancelled in the moment in which it got them."""
        if waiter.places.done() and not waiter.places.cancelled() and waiter.places.exception() is None:
            for seat in waiter.places.result():
                self._lobby.unseat(waiter.spec.seats[seat].version, waiter.spec.match_id, is_over=False)


def _absence(seat: int, why: str) -> Fault:
    return Fault(seat, FaultCause.START_FAILED, 0, why)
