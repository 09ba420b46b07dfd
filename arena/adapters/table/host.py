"""Plays the matches of a table: hosted bots as in every match, and beside them those who play elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from arena.adapters.table.seat import Ask, Asker, ElsewhereSeat, Tell
from arena.hosting.errors import HostingError
from arena.hosting.procfs.own_wait import OwnWaitMeter
from arena.match.match import Match
from arena.match.result import Fault, MatchResult
from arena.match.spec import MatchSpec
from arena.referee.play import play_match
from arena.referee.seated import SeatedBot
from arena.referee.stream import StreamClosedError
from arena.wire.encoding import encode_broken_off
from arena.worker.accounts import Seated
from arena.worker.blame import StartError
from arena.worker.process_pool import ProcessPool
from arena.worker.warm_bot import WarmBot


class LeftTableError(Exception):
    """Whoever plays elsewhere has stopped in the middle of a match."""


class TableHost:
    """Plays one match at a time with the bots of a house."""

    def __init__(self, house: ProcessPool) -> None:
        self._house = house

    async def play(self, spec: MatchSpec, ask: Ask, tell: Tell) -> MatchResult:
        """Play a match and return its result; a seat that `is_remote` is asked by `ask` and told by `tell`.

        Raises LeftTableError that `ask` raised, once the bots can play again; MatchSpecError; MatchLostError and
        HostingError when this machine is to blame.
        """
        match = Match(spec)
        elsewhere = {number: ElsewhereSeat(tell) for number, seat in enumerate(spec.seats) if seat.is_remote}
        seated = await self._house.seat(match)
        lag_meter = OwnWaitMeter()
        try:
            asker = Asker(match, elsewhere, ask)
            await play_match(match, self._seats(seated, elsewhere), lag_meter=lag_meter, onlooker=asker)
        except LeftTableError:
            await self._break_off(spec.match_id, seated)
            raise
        except BaseException:
            self._house.end_all(seated)
            raise
        finally:
            lag_meter.close()
            self._house.close_meters(seated)
        await self._house.part_with_all(match, seated)
        return match.result()

    def _seats(self, seated: Sequence[Seated], elsewhere: dict[int, ElsewhereSeat]) -> list[SeatedBot | Fault]:
        """Return what plays each seat, as the referee takes it."""
        return [
            SeatedBot(elsewhere[seat])
            if one is None
            else one.fault(seat)
            if isinstance(one, StartError)
            else self._house.seated_bot(one)
            for seat, one in enumerate(seated)
        ]

    async def _break_off(self, match_id: str, seated: Sequence[Seated]) -> None:
        """Tell the bots that the match goes no further. None of them was asked, so they can play the next one."""
        for one in seated:
            if not isinstance(one, WarmBot):
                continue
            try:
                await one.stream.send(encode_broken_off(match_id))
                self._house.bots.give_back(one)
            except (StreamClosedError, HostingError):
                self._house.bots.end(one)
