"""Plays matches on this machine with one event loop, from starting the bots to the report."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Self

from arena.hosting.errors import HostingError
from arena.hosting.procfs.run_delay import OwnWaitMeter
from arena.match.match import Match
from arena.match.replay import write_replay
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.referee.play import play_match
from arena.worker.blame import StartError, blame_host
from arena.worker.bot_processes import ProcessPool
from arena.worker.own_limits import OwnLimits
from arena.worker.reporting import Accounts, LiveFeed, Seated, build_report, read_accounts
from arena.worker.state_leaks import check_leaks, draw_one
from arena.worker.warm_bot import WarmBot, take_note
from arena.worker.warm_bots import DEFAULT_WARM_BOTS


class MatchHost:
    """Plays matches with the bots of a pool of its own. Async context manager; leaving it ends and removes everything.

    One match at a time, so that no bot computes while another one's clock runs.
    """

    def __init__(
        self,
        warm_bots: int = DEFAULT_WARM_BOTS,
        warm_mb: int | None = None,
        own: OwnLimits | None = None,
        *,
        apart: bool = False,
    ) -> None:
        """Keep warm bots, and have limits of its own, as `ProcessPool` says of the same arguments."""
        self._pool = ProcessPool(warm_bots, warm_mb, own, apart=apart)

    async def __aenter__(self) -> Self:
        """Start the launcher and the server. Raises RuntimeDirectoryError."""
        await self._pool.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End every process and remove every directory."""
        await self._pool.__aexit__(*exc_info)

    @property
    def launcher_pid(self) -> int:
        """The process id of its launcher."""
        return self._pool.launcher_pid

    async def play(self, spec: MatchSpec, feed: LiveFeed | None = None) -> MatchReport:
        """Play a match, pass it on to a live feed if it has one, and return its report.

        Raises MatchSpecError; MatchLostError when the host is to blame, never because of a bot; HostBrokenError when
        this host can play nothing more.
        """
        match = Match(spec)
        try:
            return await self._play(match, feed)
        except HostingError as error:
            raise blame_host(error) from error

    async def _play(self, match: Match, feed: LiveFeed | None) -> MatchReport:
        spec, pool = match.spec, self._pool
        seated = await pool.seat(match)
        note = take_note(seated)
        used = [isinstance(one, WarmBot) and one.has_played for one in seated]
        started_at_us, started = time.time_ns() // 1000, time.monotonic_ns()
        if feed is not None:
            feed.take_places(match, seated, started_at_us)
        await self._referee(match, seated, feed)
        duration_us = (time.monotonic_ns() - started) // 1000
        left = await pool.part_with_all(match, seated)
        if feed is not None:
            await feed.finish()  # the last words of a bot that has ended are in its log by now
        replay = write_replay(match, started_at_us, duration_us)
        accounts = await read_accounts(seated, used, left) if spec.keeps_logs else Accounts()
        checked = [seat for seat, is_used in enumerate(used) if is_used and spec.seats[seat].is_deterministic]
        drawn = draw_one(spec.match_id, checked) if spec.checks_leaks else ()
        checks = await check_leaks(pool.bots, spec, replay, drawn)
        return replace(build_report(match, replay, checks, accounts, note), warm_bots=pool.bots.count_idle())

    async def _referee(self, match: Match, seated: list[Seated], feed: LiveFeed | None) -> None:
        lag_meter = OwnWaitMeter()
        seats = [
            one.fault(seat) if isinstance(one, StartError) else self._pool.seated_bot(one, match.spec.cores)
            for seat, one in enumerate(seated)
            if one is not None
        ]
        try:
            may_ponder = match.spec.clock.may_ponder
            await play_match(match, seats, lag_meter=lag_meter, may_ponder=may_ponder, watcher=feed)
            self._pool.give_up_if_full(match, seated)
        except BaseException:
            self._pool.end_all(seated)
            raise
        finally:
            lag_meter.close()
            self._pool.close_meters(seated)

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended."""
        await self._pool.bots.settle()
