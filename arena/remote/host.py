"""Plays one match with remote bots: waits for them, seats hosted ones beside them, referees, and makes the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack

from arena.hosting.errors import HostingError
from arena.hosting.procfs.own_wait import OwnWaitMeter
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.report import MatchReport
from arena.match.result import Fault, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.referee.play import play_match
from arena.referee.seated import SeatedBot
from arena.remote.lobby import Lobby
from arena.remote.seat import RemoteSeat
from arena.remote.shared_pool import SharedProcessPool
from arena.remote.waiting import Place, WaitingRoom
from arena.worker.accounts import Accounts, Seated, read_accounts
from arena.worker.blame import StartError, blame_host
from arena.worker.live_feed import LiveFeed
from arena.worker.process_pool import ProcessPool
from arena.worker.reporting import build_report
from arena.worker.warm_bot import WarmBot, take_note
from engine.text import Text


class RemoteHost:
    """Plays any number of matches at once; those with hosted bots take turns."""

    def __init__(self, lobby: Lobby, room: WaitingRoom, shared_pool: SharedProcessPool) -> None:
        self._lobby = lobby
        self._room = room
        self._shared_pool = shared_pool

    async def play(self, spec: MatchSpec, feed: LiveFeed, on_begun: Callable[[], None]) -> MatchReport:
        """Play a match when its remote bots are here, and return its report; `on_begun` is called when it begins.

        Raises NotBegunError; MatchSpecError; MatchLostError when the host is to blame, never because of a bot.
        """
        match = Match(spec)
        _check(spec)
        places = await self._room.wait(spec)
        try:
            on_begun()
            return await self._play(match, places, feed)
        except HostingError as error:
            failure = blame_host(error)
            # Only the hosted bots of this match are gone: others go on.
            raise MatchLostError(str(failure), failure.cause, failure.evidence) from error
        finally:
            for seat in places:
                self._lobby.unseat(spec.seats[seat].version, spec.match_id, is_over=match.is_over)

    async def _play(self, match: Match, places: Mapping[int, Place], feed: LiveFeed) -> MatchReport:
        async with AsyncExitStack() as stack:
            pool = None
            if any(not seat.is_remote for seat in match.spec.seats):
                pool = await stack.enter_async_context(self._shared_pool.open())
            seated: list[Seated] = [None] * len(match.spec.seats) if pool is None else await pool.seat(match)
            return await self._play_seated(match, places, seated, pool, feed)

    async def _play_seated(
        self,
        match: Match,
        places: Mapping[int, Place],
        seated: list[Seated],
        pool: ProcessPool | None,
        feed: LiveFeed,
    ) -> MatchReport:
        used, note = [isinstance(one, WarmBot) and one.has_played for one in seated], take_note(seated)
        started_at_us, started = time.time_ns() // 1000, time.monotonic_ns()
        feed.take_places(match, seated, started_at_us)
        await self._referee(match, _seats(places, seated, pool, match.spec.cores), seated, pool, feed)
        duration_us = (time.monotonic_ns() - started) // 1000
        left = [None] * len(seated) if pool is None else await pool.part_with_all(match, seated)
        await feed.finish()
        replay = write_replay(match, started_at_us, duration_us)
        accounts = await read_accounts(seated, used, left) if match.spec.keeps_logs else Accounts()
        return build_report(match, replay, (), accounts, note)

    async def _referee(
        self,
        match: Match,
        seats: Sequence[SeatedBot | Fault],
        seated: Sequence[Seated],
        pool: ProcessPool | None,
        feed: LiveFeed,
    ) -> None:
        lag_meter = None if pool is None else OwnWaitMeter()
        try:
            may_ponder = match.spec.clock.may_ponder
            await play_match(match, seats, lag_meter=lag_meter, may_ponder=may_ponder, watcher=feed)
        except BaseException:
            if pool is not None:
                pool.end_all(seated)
            raise
        finally:
            if lag_meter is not None and pool is not None:
                lag_meter.close()
                pool.close_meters(seated)


def _check(spec: MatchSpec) -> None:
    """Raise MatchLostError for a match in which a remote bot has two seats: its answers name the match alone."""
    versions = [seat.version for seat in spec.seats if seat.is_remote]
    if len(set(versions)) < len(versions):
        raise MatchLostError(
            Text("remote.remote_bot_cannot_play_two", "a remote bot cannot play two seats of one match"),
            HostCause.UNPLAYABLE,
        )


def _seats(
    places: Mapping[int, Place], seated: Sequence[Seated], pool: ProcessPool | None, cores: int
) -> list[SeatedBot | Fault]:
    """Return what plays each seat, as the referee takes it, in a match that grants so many cores."""
    found: list[SeatedBot | Fault] = []
    for seat, one in enumerate(seated):
        if isinstance(one, StartError):
            found.append(one.fault(seat))
        elif one is not None and pool is not None:
            found.append(pool.seated_bot(one, cores))
        else:
            place = places[seat]
            found.append(SeatedBot(place) if isinstance(place, RemoteSeat) else place)
    return found
