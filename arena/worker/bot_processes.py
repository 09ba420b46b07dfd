"""The processes of hosted bots: a launcher, the bots' listeners, warm processes, and what watches and freezes them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn, Self

from arena.hosting.bot_environment import write_kit_cache
from arena.hosting.launcher.client import LauncherClient
from arena.hosting.user_directories import runtime_directory
from arena.match.match import Match
from arena.match.result import FaultCause
from arena.referee.play import SeatedBot
from arena.worker.blame import StartError
from arena.worker.bot_listener import DirectListener, ListenerOpener
from arena.worker.freezer import IdleFreezer
from arena.worker.own_limits import FloodWatch, OwnLimits, OwnWatch
from arena.worker.process_setup import SOME_THREADS, RoomWatch
from arena.worker.proxied_listener import ProxiedListener
from arena.worker.reporting import Seated
from arena.worker.starter import BotStarter
from arena.worker.warm_bot import WarmBot
from arena.worker.warm_bots import DEFAULT_WARM_BOTS, WarmBots

_LAME = (FaultCause.TIMEOUT, FaultCause.DISCONNECTED)  # how a bot fails whose gRPC got no thread


class ProcessPool:
    """Owns a launcher and warm bots. Async context manager; leaving it ends and removes everything.

    Several matches may have bots from it at the same time.
    """

    def __init__(
        self,
        warm_bots: int = DEFAULT_WARM_BOTS,
        warm_mb: int | None = None,
        own: OwnLimits | None = None,
        *,
        apart: bool = False,
    ) -> None:
        """Keep at most `warm_bots` idle processes with `warm_mb` megabytes of resident memory (None: no limit).

        `own` are the limits of this process itself, which ends at once when it reaches one. With `apart` each bot's
        listener is served by a process of its own, with the same limits.
        """
        self._most_warm = warm_bots, warm_mb
        self._own = own
        self._is_apart = apart
        self._stack = AsyncExitStack()
        self._room: RoomWatch
        self._idle_freezer = IdleFreezer()
        self.bots: WarmBots  # the processes, once it was entered
        self.launcher_pid = 0  # the process id of the launcher, once it was entered

    async def __aenter__(self) -> Self:
        """Start the launcher. Raises RuntimeDirectoryError."""
        write_kit_cache()
        async with AsyncExitStack() as stack:
            directory = stack.enter_context(runtime_directory())
            # In a worker gRPC has threads by now. Nothing of ours runs between fork and exec of the launcher, which has
            # no threads; between those of a bot, which the launcher starts, something does.
            launcher = await stack.enter_async_context(LauncherClient(remove=[directory]))
            self.launcher_pid = launcher.pid
            starter = BotStarter(launcher, self._listener_opener(directory), directory, on_lost=_give_up)
            await stack.enter_async_context(self._idle_freezer)
            self.bots = WarmBots(starter, *self._most_warm, self._idle_freezer)
            stack.push_async_callback(self.bots.close)
            own = None if self._own is None else OwnWatch(self._own, self._describe_bots)
            watching = asyncio.create_task(FloodWatch(starter.listeners, own).run())
            stack.callback(watching.cancel)
            self._room = starter.room
            stack.callback(asyncio.create_task(self._room.run()).cancel)
            if self._own is not None:
                self._own.set_hard_stop()  # after the launcher has started: bots have limits of their own
            self._stack = stack.pop_all()
        return self

    def _listener_opener(self, directory: Path) -> ListenerOpener:
        if self._is_apart:
            return partial(ProxiedListener.open, directory, self._own or OwnLimits(), _give_up)
        return partial(DirectListener.open, directory)

    def _describe_bots(self) -> str:
        """Return which bots are here, seated and warm."""
        versions = sorted({bot.key.version[:12] for bot in self._idle_freezer.bots()})
        return f"bots of the versions {', '.join(versions)}" if versions else ""

    async def __aexit__(self, *exc_info: object) -> None:
        """End every process and remove every directory."""
        await self._stack.aclose()

    async def seat(self, match: Match) -> list[Seated]:
        """Return a process for every seat that is not a remote bot's, as `WarmBots.seat` does; None for the others."""
        spec = match.spec
        # The matches of a block share a chance seed: who has played one knows what is thrown and drawn in the others.
        secret_block = spec.block if match.playing.game.has_chance else ""
        numbers = [number for number, seat in enumerate(spec.seats) if not seat.is_remote]
        # What is ordered of the hosts: the match with the seats alone whose bots run here.
        hosted = tuple(seat for seat in spec.seats if not seat.is_remote)
        ordered = replace(spec, seats=hosted) if spec.has_remote else spec
        processes = iter(await self.bots.seat(ordered, secret_block, numbers))
        return [None if seat.is_remote else next(processes) for seat in spec.seats]

    def seated_bot(self, bot: WarmBot, cores: int = 1) -> SeatedBot:
        """Return a bot as the referee seats it, in a match that grants so many cores.

        It has a meter for its processes, and `close_meters` ends the measuring.
        """
        freezer = self._idle_freezer.freezer_of(bot)
        freezer.cores = cores
        return SeatedBot(bot.stream, freezer.meter, freezer, bot.listener.descriptor)

    def give_up_if_full(self, match: Match, seated: Iterable[Seated]) -> None:
        """End this process if a bot failed that may be lame because this machine had no room: that is the host's."""
        for seat, one in enumerate(seated):
            has_failed = any(fault.cause in _LAME for fault in match.faults_of(seat))
            if not has_failed or not isinstance(one, WarmBot):
                continue
            self._room.look(SOME_THREADS)  # it may have become full since the last look
            if self._room.was_full_since(one.started_s):
                _give_up("this host had no room for threads for a while, and a bot that was there failed")

    def close_meters(self, seated: Iterable[Seated]) -> None:
        """Measure these bots no more until their next matches."""
        for one in seated:
            if isinstance(one, WarmBot):
                self._idle_freezer.close_meter(one)

    def end_all(self, seated: Iterable[Seated]) -> None:
        """End the bots of a match that was broken off, in the background."""
        for one in seated:
            if isinstance(one, WarmBot):
                self.bots.end(one)

    async def part_with_all(self, match: Match, seated: list[Seated]) -> list[bool | None]:
        """Part with the bots of a match that is over, see `part_with`, in the order of its seats.

        It is done to its end even if this is cancelled: otherwise a process could be left that nobody holds.
        """
        parting = asyncio.gather(*(self.part_with(match, seat, one) for seat, one in enumerate(seated)))
        return await asyncio.shield(parting)

    async def part_with(self, match: Match, seat: int, bot: Seated) -> bool | None:
        """Keep a bot that did nothing wrong; otherwise end it and amend its faults with the evidence.

        Return whether it ended by itself, for a bot that did nothing wrong and yet had to end with the match.
        """
        if bot is None or isinstance(bot, StartError):
            return None
        faults = match.faults_of(seat)
        if not faults and match.spec.uses_fresh_bots:
            return await self.bots.dismiss(bot)
        if not faults:
            self.bots.give_back(bot)
        for fault in faults:
            match.amend(fault, await self.bots.end_and_explain(bot, fault))
        return None


def _give_up(why: str) -> NoReturn:
    """End this process, which has lost a part that no bot has broken."""
    sys.stderr.write(f"{why}\n")
    sys.stderr.flush()
    os._exit(1)
