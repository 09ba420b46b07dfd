"""Plays the matches of a caller: with hosted bots as in every match, and with those who play elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from arena.adapters.bot_host.seat import Ask, CallerAsker, CallerSeat, SendToCaller
from arena.hosting.errors import HostingError
from arena.hosting.procfs.own_wait import OwnWaitMeter
from arena.match.match import Match
from arena.match.result import Fault, MatchResult
from arena.match.spec import MatchSpec
from arena.referee.play import play_match
from arena.referee.seated import SeatedBot
from arena.referee.stream import StreamClosedError
from arena.wire.messages import encode_broken_off
from arena.worker.accounts import Seated
from arena.worker.blame import StartError
from arena.worker.process_pool import ProcessPool
from arena.worker.warm_bot import WarmBot


class MatchLeftError(Exception):
    """Whoever plays elsewhere has stopped in the middle of a match."""


class CallerMatchHost:
    """Plays one match at a time with the bots of a pool."""

    def __init__(self, pool: ProcessPool) -> None:
        self._pool = pool

    async def play(self, spec: MatchSpec, ask: Ask, send: SendToCaller) -> MatchResult:
        """Play a match and return its result; a seat that `is_remote` is asked by `ask` and told by `send`.

        Raises MatchLeftError that `ask` raised, once the bots can play again; MatchSpecError; MatchLostError and
        HostingError when this machine is to blame.
        """
        match = Match(spec)
        elsewhere = {number: CallerSeat(send) for number, seat in enumerate(spec.seats) if seat.is_remote}
        seated = await self._pool.seat(match)
        lag_meter = OwnWaitMeter()
        try:
            asker = CallerAsker(match, elsewhere, ask)
            await play_match(match, self._seats(seated, elsewhere), lag_meter=lag_meter, watcher=asker)
        except MatchLeftError:
            await self._break_off(spec.match_id, seated)
            raise
        except BaseException:
            self._pool.end_all(seated)
            raise
        finally:
            lag_meter.close()
            self._pool.close_meters(seated)
        await self._pool.part_with_all(match, seated)
        return match.result()

    def _seats(self, seated: Sequence[Seated], elsewhere: dict[int, CallerSeat]) -> list[SeatedBot | Fault]:
        """Return what plays each seat, as the referee takes it."""
        return [
            SeatedBot(elsewhere[seat])
            if one is None
            else one.fault(seat)
            if isinstance(one, StartError)
            else self._pool.seated_bot(one)
            for seat, one in enumerate(seated)
        ]

    async def _break_off(self, match_id: str, seated: Sequence[Seated]) -> None:
        """Tell the bots that the match goes no further. None of them was asked, so they can play the next one."""
        for one in seated:
            if not isinstance(one, WarmBot):
                continue
            try:
                await one.stream.send(encode_broken_off(match_id))
                self._pool.bots.give_back(one)
            except (StreamClosedError, HostingError):
                self._pool.bots.end(one)
