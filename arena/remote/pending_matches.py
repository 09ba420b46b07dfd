"""The matches that wait until their remote bots are here and have room, in order.

Room that rated and unrated matches want goes to them in turns: hundreds of unrated matches, which whoever likes may
order, hold up a ladder by no more than one of theirs for each of its own, and a ladder leaves them their share.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.match.result import Fault, FaultCause
from arena.match.spec import MatchSpec
from arena.remote.lobby import Lobby, Member, RemoteSeat
from engine.translatable import Text

Place = RemoteSeat | Fault
"""What a remote bot has in a match: a seat, or the fault that it was not there."""


DISTRUST_S = 600.0
"""For how long matches hardly wait for the bots of an owner after one did in vain: whoever goes away again and again
would hold up a whole ladder each time, since its next waves wait for every match of the last."""
SHORT_PATIENCE_S = 3.0
"""How long they wait then: a connection that broke off is mostly back by that."""
_MOST_DISTRUSTED = 10_000


class WaitingRoomClosedError(Exception):
    """The waiting room is closed: no match that waits in it begins any more."""


@dataclass(eq=False, slots=True)
class _Waiter:
    spec: MatchSpec
    since: float
    """By the event loop's clock."""
    places: asyncio.Future[Mapping[int, Place]]
    here_s: Mapping[str, float]
    """For how long each of its versions had been here when it began to wait."""
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
        """A bot that is away for `patience_s` in all while a match waits for it has not started in that match.

        After that matches hardly wait for any bot of its owner for a while.
        """
        self._lobby = lobby
        self._patience_s = patience_s
        self._waiting: dict[str, dict[_Waiter, None]] = {}
        """Those who wait for a version, in order: thousands may wait, and only theirs are looked at."""
        self._let_down: dict[str, float] = {}
        """When a match waited in vain for a bot of an owner, the last one last."""
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        lobby.on_room = self.look

    async def wait(self, spec: MatchSpec) -> Mapping[int, Place]:
        """Return the places of the remote bots of a match by seat. Raises WaitingRoomClosedError."""
        if self._is_closed:
            raise WaitingRoomClosedError
        here_s = {seat.version: self._lobby.here_s(seat.version) for seat in spec.seats if seat.is_remote}
        waiter = _Waiter(spec, self._loop.time(), self._loop.create_future(), here_s)
        for version in waiter.wanted.values():
            self._waiting.setdefault(version, {})[waiter] = None
        try:
            while True:
                self._try(waiter)
                # Until the first of those that are away has been so for too long.
                ends = [self._end_of(waiter, seat) for seat in self._away(waiter)]
                left_s = max(min(ends) - self._loop.time(), 0.0) if ends else self._patience_s
                done, _ = await asyncio.wait({waiter.places}, timeout=left_s)
                if done:
                    return waiter.places.result()
                self._give_up_on_the_absent(waiter)
        except asyncio.CancelledError:
            # Cancelled at the moment in which it got its places, it gives them back.
            if waiter.places.done() and not waiter.places.cancelled() and waiter.places.exception() is None:
                for seat in waiter.places.result():
                    self._lobby.unseat(spec.seats[seat].version, spec.match_id, is_over=False)
            raise
        finally:
            self._remove(waiter)

    def close(self) -> None:
        """Let nothing begin any more."""
        self._is_closed = True
        for waiter in [waiter for waiters in self._waiting.values() for waiter in waiters]:
            if not waiter.places.done():
                waiter.places.set_exception(WaitingRoomClosedError())

    def look(self, version: str) -> None:
        """Let matches begin that waited for a version that has room now."""
        member = self._lobby.find(version)
        if member is None:
            return
        is_rated_next = not member.was_rated
        for waiter in sorted(self._waiting.get(version, ()), key=lambda one: one.spec.is_rated != is_rated_next):
            if not member.has_room or self._lobby.find(version) is not member:
                return
            self._try(waiter)

    def _remove(self, waiter: _Waiter) -> None:
        for version in {seat.version for seat in waiter.spec.seats if seat.is_remote}:
            waiters = self._waiting.get(version, {})
            waiters.pop(waiter, None)
            if not waiters:
                self._waiting.pop(version, None)

    def _try(self, waiter: _Waiter) -> None:
        if waiter.places.done():
            return
        self._give_up_on_the_absent(waiter)
        found = {seat: self._lobby.find(version) for seat, version in waiter.wanted.items()}
        for seat, member in found.items():
            if member is not None and not member.plays(waiter.spec.game):
                waiter.faults[seat] = _absence(
                    seat, Text("It joined for other games, not for {game}.", game=waiter.spec.game)
                )
        members = {seat: member for seat, member in found.items() if seat not in waiter.faults}
        here = {seat: member for seat, member in members.items() if member is not None}
        if len(here) == len(members) and all(self._has_room(waiter, member) for member in here.values()):
            self._remove(waiter)
            for member in here.values():
                member.was_rated = waiter.spec.is_rated
            seats = {seat: self._lobby.seat(member, waiter.spec.match_id) for seat, member in here.items()}
            waiter.places.set_result({**seats, **waiter.faults})

    def _has_room(self, waiter: _Waiter, member: Member) -> bool:
        """Return whether a bot can play this match now; what rated matches want next is kept from unrated ones.

        It is not kept for a match that waits for somebody who is away.
        """
        if waiter.spec.is_rated or member.was_rated or not member.has_room:
            return member.has_room
        others = self._waiting.get(member.bot.version, ())
        kept = sum(other.spec.is_rated and not self._away(other) for other in others)
        return len(member.seats) + kept < member.room

    def _give_up_on_the_absent(self, waiter: _Waiter) -> None:
        now = self._loop.time()
        for seat in self._away(waiter):
            if self._end_of(waiter, seat) > now:
                continue
            owner = _owner_of(waiter.spec.seats[seat].name)
            if self._is_distrusted(owner):
                why = Text(
                    "It was not connected, and a bot of {owner} was waited for in vain within {minutes} minutes "
                    "before.",
                    owner=owner,
                    minutes=f"{DISTRUST_S / 60:g}",
                )
            else:
                self._let_down.pop(owner, None)
                self._let_down[owner] = self._loop.time()
                if len(self._let_down) > _MOST_DISTRUSTED:
                    del self._let_down[next(iter(self._let_down))]
                waited = f"{self._patience_s:g}"
                why = Text("It was not connected for {seconds} s while the match waited.", seconds=waited)
            waiter.faults[seat] = _absence(seat, why)

    def _away(self, waiter: _Waiter) -> list[int]:
        return [seat for seat, version in waiter.wanted.items() if self._lobby.find(version) is None]

    def _end_of(self, waiter: _Waiter, seat: int) -> float:
        """Return the instant until which a match waits for a bot that is away.

        All its absences while the match waits count together: otherwise two that come and go in turns, so that they
        are never there at once, would have it wait for ever.
        """
        spec = waiter.spec.seats[seat]
        here_s = max(self._lobby.here_s(spec.version) - waiter.here_s[spec.version], 0.0)
        is_distrusted = self._is_distrusted(_owner_of(spec.name))
        patience_s = min(SHORT_PATIENCE_S, self._patience_s) if is_distrusted else self._patience_s
        return waiter.since + here_s + patience_s

    def _is_distrusted(self, owner: str) -> bool:
        return self._let_down.get(owner, float("-inf")) + DISTRUST_S > self._loop.time()


def _absence(seat: int, why: str) -> Fault:
    return Fault(seat, FaultCause.START_FAILED, 0, why)


def _owner_of(bot: str) -> str:
    return bot.partition("/")[0]
