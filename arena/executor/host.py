"""Everything needed to play matches on this machine with one event loop; wherever a match runs, this plays it."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Self
from weakref import WeakKeyDictionary

from arena.executor.warm import DEFAULT_WARM_BOTS, StartError, WarmBot, WarmBots
from arena.hosting.meter import TreeMeter
from arena.hosting.processes import HostedProcess, Launcher
from arena.hosting.runtime import SOCKET_NAME, runtime_directory
from arena.match.course import DecidedBy
from arena.match.match import Match
from arena.match.replay import build_document, dump
from arena.match.spec import MatchReport, MatchSpec
from arena.referee.conductor import conduct
from arena.referee.server import PlayServer


class MatchHost:
    """A launcher, a bots' socket and warm bots. Async context manager; leaving it ends every process and removes all.

    One match at a time, so that no bot computes while another one's clock runs.
    """

    def __init__(self, warm_bots: int = DEFAULT_WARM_BOTS) -> None:
        self._most_warm = warm_bots
        self._stack = AsyncExitStack()
        self._bots: WarmBots
        self._meters: WeakKeyDictionary[HostedProcess, TreeMeter] = WeakKeyDictionary()

    async def __aenter__(self) -> Self:
        """Start the launcher and the server. Raises RuntimeDirectoryError."""
        async with AsyncExitStack() as stack:
            directory = stack.enter_context(runtime_directory())
            # The launcher comes first: it is started before this process has any gRPC thread.
            launcher = await stack.enter_async_context(Launcher(remove=[directory]))
            server = PlayServer()
            address = f"unix:{directory / SOCKET_NAME}"
            await server.start(address)
            stack.push_async_callback(server.stop)
            self._bots = WarmBots(launcher, server, address, self._most_warm)
            stack.push_async_callback(self._bots.close)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """End everything."""
        await self._stack.aclose()

    async def play(self, spec: MatchSpec) -> MatchReport:
        """Play a match to its report. Raises MatchSpecError and HostingError, never because of a bot."""
        match = Match(spec)
        seated = await self._bots.seat(spec)
        started_at_us, started = time.time_ns() // 1000, time.monotonic_ns()
        bots = [None if isinstance(one, StartError) else one for one in seated]
        meters = [None if bot is None else self._meter_of(bot) for bot in bots]
        absent = [one.fault(seat) for seat, one in enumerate(seated) if isinstance(one, StartError)]
        try:
            await conduct(match, [bot.stream if bot else None for bot in bots], absent, meters)
        except BaseException:
            for bot in bots:
                if bot is not None:
                    self._bots.end(bot)
            raise
        finally:
            for meter in meters:
                if meter is not None:
                    meter.close()
        duration_us = (time.monotonic_ns() - started) // 1000
        await asyncio.gather(*(self._part(match, seat, bot) for seat, bot in enumerate(bots) if bot is not None))
        return _report(match, started_at_us, duration_us)

    async def settle(self) -> None:
        """Wait until no process is ending any more."""
        await self._bots.settle()

    def _meter_of(self, bot: WarmBot) -> TreeMeter:
        """One meter for the life of a process: finding its tree costs more than many a match."""
        meter = self._meters.get(bot.process)
        if meter is None:
            meter = self._meters[bot.process] = TreeMeter(bot.process.pid)
        return meter

    async def _part(self, match: Match, seat: int, bot: WarmBot) -> None:
        """Keep a bot that did nothing wrong; end the other, and keep the evidence."""
        if match.faults_of(seat):
            match.add_evidence(seat, await self._bots.autopsy(bot))
        else:
            self._bots.give_back(bot)


def _report(match: Match, started_at_us: int, duration_us: int) -> MatchReport:
    document = build_document(match, started_at_us, duration_us)
    return MatchReport(
        match_id=match.spec.match_id,
        attempt=match.spec.attempt,
        result=match.result(),
        plies=len(match.entries),
        decisions=sum(entry.by is DecidedBy.BOT for entry in match.entries),
        started_at_us=started_at_us,
        duration_us=duration_us,
        game_digest=document["game_digest"],
        record_digest=document["record_digest"],
        replay=dump(document),
    )
