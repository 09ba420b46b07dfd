"""The bot processes of one worker: started when needed, kept warm between matches, ended in order.

A process plays one match and one seat at a time; a version in two seats is two processes. After a fault, or when it
said something nobody asked for, a process is not used again.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.hosting.processes import HostedProcess, HostingError, Launcher, LaunchError
from arena.hosting.runtime import SCRATCH_NAME
from arena.hosting.sandbox.keep import Keep
from arena.match.spec import Fault, FaultCause, MatchSpec, SeatSpec
from arena.referee.admission import JoinError, join
from arena.referee.encoding import EVERY_GAME
from arena.referee.server import Admission, PlayServer
from arena.referee.stream import BotStream

DEFAULT_WARM_BOTS = 8
INHERITED = ("PATH", "HOME", "LANG", "PYTHONPATH")
# The files of a version are never written to; what a bot prints before it crashes must not be lost.
SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
LEAVE_GRACE_S = 0.5
KEPT_STDERR_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class BotKey:
    """What makes two processes interchangeable."""

    version: str
    directory: str
    command: tuple[str, ...]
    sandbox: str
    memory_mb: int


@dataclass(eq=False, slots=True)
class WarmBot:
    """A process that has joined."""

    key: BotKey
    process: HostedProcess
    admission: Admission
    stream: BotStream
    games: Sequence[str]
    has_played: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether it can be given another match."""
        return not self.stream.spoiled and not self.process.exited.done()

    def plays(self, game: str) -> bool:
        """Whether it joined for that game."""
        return game in self.games or EVERY_GAME in self.games


class StartError(Exception):
    """The bot did not start or did not join; the fault that its seat gets."""

    def __init__(self, cause: FaultCause, explanation: str, evidence: dict[str, Any]) -> None:
        super().__init__(explanation)
        self.cause, self.explanation, self.evidence = cause, explanation, evidence

    def fault(self, seat: int) -> Fault:
        """As a match has it."""
        return Fault(seat, self.cause, 0, self.explanation, self.evidence)


class WarmBots:
    """The processes of one worker. `close` ends them all."""

    def __init__(self, launcher: Launcher, server: PlayServer, address: str, most: int = DEFAULT_WARM_BOTS) -> None:
        """`most` counts the idle ones; those of the match that is played come on top.

        Each works in an empty directory of its own, which goes with it, beside the socket at `address`.
        """
        self._scratch = Path(address.removeprefix("unix:")).with_name(SCRATCH_NAME)
        self._scratches = itertools.count(1)
        self._launcher = launcher
        self._server = server
        self._address = address
        self._most = most
        self._idle: list[WarmBot] = []
        self._endings: set[asyncio.Task[None]] = set()

    async def seat(self, spec: MatchSpec) -> list[WarmBot | StartError]:
        """A process for every seat, warm where there is one; the others are started at the same time.

        No other process computes any more when it returns. Raises HostingError; then, and when it is cancelled, every
        process that had a seat is ended.
        """
        seats: list[WarmBot | StartError | None] = [self._take(_key(seat), spec.game) for seat in spec.seats]
        try:
            while None in seats:
                await self.settle()
                await self._fill(seats, spec)
                for index, one in enumerate(seats):
                    if isinstance(one, WarmBot) and one.has_played and not one.is_usable:
                        self.end(one)
                        seats[index] = None
            await self.settle()
        except BaseException:
            for one in seats:
                if isinstance(one, WarmBot):
                    self.end(one)
            raise
        return [self._admit(one) for one in seats if one is not None]

    async def _fill(self, seats: list[WarmBot | StartError | None], spec: MatchSpec) -> None:
        """Start a process for each empty seat. Whatever is raised, those that did start have their seats."""

        async def fill(index: int) -> None:
            try:
                seats[index] = await self._start(spec.seats[index], spec)
            except StartError as error:
                seats[index] = error

        empty = [index for index, one in enumerate(seats) if one is None]
        outcomes = await asyncio.gather(*map(fill, empty), return_exceptions=True)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

    def _admit(self, one: WarmBot | StartError) -> WarmBot | StartError:
        """What a seat gets; a bot that spoke after joining, before any match, has broken the protocol."""
        if isinstance(one, WarmBot) and one.stream.spoiled and not one.stream.is_closed:
            self.end(one)
            return StartError(FaultCause.PROTOCOL, f"Before its match started, {one.stream.spoiled}.", {})
        return one

    def give_back(self, bot: WarmBot) -> None:
        """The match is over and the bot did nothing wrong: keep it, unless it may not be used again."""
        bot.has_played = True
        if not bot.is_usable:
            self.end(bot)
            return
        self._idle.append(bot)
        while len(self._idle) > self._most:
            self.end(self._idle.pop(0))

    def end(self, bot: WarmBot) -> None:
        """End a process in the background."""
        self._run(self._end(bot))

    def _run(self, ending: Coroutine[Any, Any, None]) -> None:
        """End a process in the background; `settle` waits for it."""
        task = asyncio.create_task(ending)
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    async def autopsy(self, bot: WarmBot) -> dict[str, Any]:
        """End a process that did something wrong; the evidence: how it ended if by itself, and what it wrote last."""
        self._server.dismiss(bot.admission)
        return await _examine(bot.process, await bot.process.end(LEAVE_GRACE_S))

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended. Raises HostingError if one cannot be ended."""
        await asyncio.gather(*self._endings)

    async def close(self) -> None:
        """End every idle process; those of a match belong to it."""
        for bot in self._idle:
            self.end(bot)
        self._idle.clear()
        await self.settle()

    def _take(self, key: BotKey, game: str) -> WarmBot | None:
        """The idle process of that key, joined for that game, that was used last."""
        for bot in [bot for bot in self._idle if not bot.is_usable]:
            self._idle.remove(bot)
            self.end(bot)
        for index in range(len(self._idle) - 1, -1, -1):
            if self._idle[index].key == key and self._idle[index].plays(game):
                return self._idle.pop(index)
        return None

    async def _end(self, bot: WarmBot) -> None:
        self._server.dismiss(bot.admission)
        await bot.process.end(LEAVE_GRACE_S)

    async def _start(self, seat: SeatSpec, spec: MatchSpec) -> WarmBot:
        """Raises StartError, HostingError."""
        admission = self._server.admit()
        scratch = self._scratch / str(next(self._scratches))
        environment = self._environment(seat, admission, scratch)
        process = None
        try:
            starting = asyncio.create_task(
                self._launcher.start(seat.command, seat.directory, environment, scratch=scratch, keep=self._keep(seat))
            )
            try:
                process = await asyncio.shield(starting)
            except asyncio.CancelledError:
                self._run(_end_unwanted(starting))
                raise
            return await self._welcome(seat, spec, admission, process)
        except LaunchError as error:
            self._server.dismiss(admission)
            raise StartError(FaultCause.START_FAILED, f"It could not be started: {error}.", {}) from error
        except BaseException:
            self._server.dismiss(admission)
            if process is not None and not process.exited.done():
                await process.end()
            raise

    async def _welcome(self, seat: SeatSpec, spec: MatchSpec, admission: Admission, process: HostedProcess) -> WarmBot:
        """Wait until the process has joined, has ended, or is too late."""
        limit_s = spec.clock.start_limit_us / 1_000_000
        joining = asyncio.create_task(_join(admission))
        news: set[asyncio.Future[Any]] = {joining, process.exited}
        try:
            await asyncio.wait(news, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            if not joining.done() and admission.stream.done():
                await asyncio.wait({joining}, timeout=LEAVE_GRACE_S)  # what it sent before it ended comes first
            if joining.done():
                stream, games = await joining
            else:
                raise await _explain_absence(process, limit_s)
        except JoinError as error:
            has_left = await process.end(LEAVE_GRACE_S)
            raise StartError(error.cause, error.explanation, await _examine(process, has_left)) from error
        finally:
            joining.cancel()
        bot = WarmBot(_key(seat), process, admission, stream, games)
        if not bot.plays(spec.game):
            raise StartError(FaultCause.START_FAILED, f"It joined for {_list(games)}, not for {spec.game}.", {})
        return bot

    def _keep(self, seat: SeatSpec) -> Keep:
        return Keep(seat.sandbox, seat.memory_mb, socket=Path(self._address.removeprefix("unix:")))

    def _environment(self, seat: SeatSpec, admission: Admission, scratch: Path) -> dict[str, str]:
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        # It does not work in its own directory, so `python -m` would not find its modules.
        path = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = f"{seat.directory}{os.pathsep}{path}" if path else seat.directory
        return {
            **environment,
            **SETTINGS,
            "TMPDIR": str(scratch),
            "ARENA_ADDRESS": self._address,
            "ARENA_TOKEN": admission.token,
            "ARENA_BOT_DIR": seat.directory,
        }


def _key(seat: SeatSpec) -> BotKey:
    return BotKey(seat.version, seat.directory, seat.command, seat.sandbox, seat.memory_mb)


def _list(games: Sequence[str]) -> str:
    return ", ".join(game[:40] for game in games[:5]) or "no game"


async def _end_unwanted(starting: asyncio.Task[HostedProcess]) -> None:
    """End a process whose match was cancelled while it was being started."""
    try:
        process = await starting
    except HostingError:
        return  # it did not even start
    await process.end()


async def _join(admission: Admission) -> tuple[BotStream, Sequence[str]]:
    stream = await asyncio.shield(admission.stream)
    return stream, await join(stream)


async def _explain_absence(process: HostedProcess, limit_s: float) -> StartError:
    has_ended = await process.wait(0)
    if has_ended and not process.has_begun:
        output = await process.collect()
        raise HostingError(f"the sandbox could not be made: {output.stderr.strip()[-500:]}")
    if process.exceeded is not None:
        why = f"It did not join. {process.exceeded.sentence}"
    elif has_ended:
        why = f"It ended before it joined ({process.exited.result().describe()})."
    else:
        why = f"It did not join within {limit_s:g} s."
    await process.end()
    return StartError(FaultCause.START_FAILED, why, await _examine(process, has_ended))


async def _examine(process: HostedProcess, by_itself: bool) -> dict[str, Any]:
    """What a process left as evidence; how it ended only if that was not our doing."""
    output = await process.collect()
    evidence: dict[str, Any] = {"stderr": output.stderr[-KEPT_STDERR_CHARACTERS:]}
    if by_itself:
        ended = process.exited.result()
        evidence |= {"ended": ended.describe(), "exit_status": ended.status, "signal": ended.signal}
    return evidence
