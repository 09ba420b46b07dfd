"""Plays matches on this machine with one event loop, from starting the bots to the report."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Self
from weakref import WeakKeyDictionary

from arena.hosting.errors import HostingError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.proc.meter import TreeMeter
from arena.hosting.proc.own_wait import OwnWaitMeter
from arena.hosting.runtime_directory import SOCKET_NAME, runtime_directory
from arena.match.decisions import DecidedBy
from arena.match.match import Match
from arena.match.replay import build_document, dump
from arena.match.report import LeakCheck, MatchReport
from arena.match.spec import MatchSpec, weakest_level
from arena.referee.play import SeatedBot, play_match
from arena.referee.server import PlayServer
from arena.worker.accounts import Accounts, read_accounts
from arena.worker.audience import Audience
from arena.worker.blame import StartError, blame_host
from arena.worker.leaks import check_leaks, draw_one
from arena.worker.starter import BotStarter
from arena.worker.warm_bot import WarmBot
from arena.worker.warm_bots import DEFAULT_WARM_BOTS, WarmBots


class MatchHost:
    """Owns a launcher, the bots' socket and warm bots. Async context manager; leaving it ends and removes everything.

    One match at a time, so that no bot computes while another one's clock runs.
    """

    def __init__(self, warm_bots: int = DEFAULT_WARM_BOTS, warm_mb: int | None = None) -> None:
        """Keep at most `warm_bots` idle processes with `warm_mb` megabytes of resident memory (None: no limit)."""
        self._most_warm = warm_bots, warm_mb
        self._stack = AsyncExitStack()
        self._bots: WarmBots
        self._meters: WeakKeyDictionary[HostedProcess, TreeMeter] = WeakKeyDictionary()

    async def __aenter__(self) -> Self:
        """Start the launcher and the server. Raises RuntimeDirectoryError."""
        async with AsyncExitStack() as stack:
            directory = stack.enter_context(runtime_directory())
            # The launcher comes first, before this process has any gRPC thread.
            launcher = await stack.enter_async_context(LauncherClient(remove=[directory]))
            server = PlayServer()
            address = f"unix:{directory / SOCKET_NAME}"
            await server.start(address)
            stack.push_async_callback(server.stop)
            self._bots = WarmBots(BotStarter(launcher, server, address), *self._most_warm)
            stack.push_async_callback(self._bots.close)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End every process and remove every directory."""
        await self._stack.aclose()

    async def play(self, spec: MatchSpec, audience: Audience | None = None) -> MatchReport:
        """Play a match, show it to its audience if it has one, and return its report.

        Raises MatchSpecError; MatchLostError when the host is to blame, never because of a bot; HostBrokenError when
        this host can play nothing more.
        """
        match = Match(spec)
        try:
            return await self._play(match, audience)
        except HostingError as error:
            raise blame_host(error) from error

    async def _play(self, match: Match, audience: Audience | None) -> MatchReport:
        spec = match.spec
        # The matches of a block share a chance seed: who has played one knows what is thrown and drawn in the others.
        seated = await self._bots.seat(spec, spec.block if match.playing.game.has_chance else "")
        used = [isinstance(one, WarmBot) and one.has_played for one in seated]
        started_at_us, started = time.time_ns() // 1000, time.monotonic_ns()
        if audience is not None:
            audience.take_places(match, seated, started_at_us)
        await self._referee(match, seated, audience)
        duration_us = (time.monotonic_ns() - started) // 1000
        left = await asyncio.gather(*(self._part_with(match, seat, one) for seat, one in enumerate(seated)))
        if audience is not None:
            await audience.finish()  # the last words of a bot that has ended are in its log by now
        document = build_document(match, started_at_us, duration_us)
        accounts = await read_accounts(seated, used, left) if spec.keeps_logs else Accounts()
        checked = [seat for seat, is_used in enumerate(used) if is_used and spec.seats[seat].is_deterministic]
        drawn = draw_one(spec.match_id, checked) if spec.checks_leaks else ()
        checks = await check_leaks(self._bots, spec, document, drawn)
        return replace(_report(match, document, checks, accounts), warm_bots=self._bots.count_idle())

    async def _referee(self, match: Match, seated: list[WarmBot | StartError], audience: Audience | None) -> None:
        bots = [one for one in seated if isinstance(one, WarmBot)]
        meters = {bot: self._meter_of(bot) for bot in bots}
        lag_meter = OwnWaitMeter()
        seats = [
            one.fault(seat) if isinstance(one, StartError) else SeatedBot(one.stream, meters[one])
            for seat, one in enumerate(seated)
        ]
        try:
            await play_match(match, seats, lag_meter=lag_meter, onlooker=audience)
        except BaseException:
            for bot in bots:
                self._bots.end(bot)
            raise
        finally:
            lag_meter.close()
            for meter in meters.values():
                meter.close()

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended."""
        await self._bots.settle()

    def _meter_of(self, bot: WarmBot) -> TreeMeter:
        """Return the meter of a process, which it keeps for life: finding its tree costs more than some matches."""
        meter = self._meters.get(bot.process)
        if meter is None:
            meter = self._meters[bot.process] = TreeMeter(bot.process.pid)
        return meter

    async def _part_with(self, match: Match, seat: int, bot: WarmBot | StartError) -> bool | None:
        """Keep a bot that did nothing wrong; otherwise end it and amend its faults with the evidence.

        Return whether it ended by itself, for a bot that did nothing wrong and yet had to end with the match.
        """
        if isinstance(bot, StartError):
            return None
        faults = match.faults_of(seat)
        if not faults and match.spec.uses_fresh_bots:
            return await self._bots.dismiss(bot)
        if not faults:
            self._bots.give_back(bot)
        for fault in faults:
            match.amend(fault, await self._bots.end_and_explain(bot, fault))
        return None


def _report(match: Match, document: dict[str, Any], checks: tuple[LeakCheck, ...], accounts: Accounts) -> MatchReport:
    return MatchReport(
        match_id=match.spec.match_id,
        attempt=match.spec.attempt,
        result=match.result(),
        plies=len(match.entries),
        decisions=sum(entry.by is DecidedBy.BOT for entry in match.entries),
        started_at_us=document["started_at_us"],
        duration_us=document["duration_us"],
        game_digest=document["game_digest"],
        record_digest=document["record_digest"],
        replay=dump(document),
        sandbox=weakest_level(seat.sandbox for seat in match.spec.seats),
        leak_checks=checks,
        seat_logs=accounts.logs,
        seat_processes=accounts.processes,
        runtimes=tuple(seat.runtime for seat in match.spec.seats),
        referee_lag_us=max((entry.figures.referee_lag_us for entry in match.entries if entry.figures), default=0),
    )
