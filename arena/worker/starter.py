"""Starts a bot's process and has it join."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.hosting.launcher.client import HostedProcess, HostingError, Launcher, LaunchError
from arena.hosting.launcher.reports import BEGINNING, Mark
from arena.hosting.runtime_directory import SCRATCH_NAME
from arena.hosting.sandbox.limits import Keep
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec, SeatSpec
from arena.referee.join import JoinError, join
from arena.referee.server import Admission, PlayServer
from arena.referee.stream import BotStream
from arena.wire.encoding import EVERY_GAME
from arena.worker.background import Endings
from arena.worker.blame import StartError, explain_absence, refuse

INHERITED = ("PATH", "HOME", "LANG", "PYTHONPATH")
# The files of a version are never written to; what a bot prints before it crashes must not be lost.
SETTINGS = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
LEAVE_GRACE_S = 0.5


@dataclass(frozen=True, slots=True)
class BotKey:
    """What makes two processes interchangeable."""

    version: str
    directory: str
    command: tuple[str, ...]
    memory_mb: int
    sandbox: str

    @classmethod
    def of(cls, seat: SeatSpec) -> BotKey:
        """The key of the processes that can play a seat."""
        return cls(seat.version, seat.directory, seat.command, seat.memory_mb, seat.sandbox)


@dataclass(eq=False, slots=True)
class WarmBot:
    """A process that has joined."""

    key: BotKey
    process: HostedProcess
    admission: Admission
    stream: BotStream
    games: Sequence[str]
    has_played: bool = False
    blocks: set[str] = field(default_factory=set)
    """Those whose chance it has met."""
    mark: Mark = BEGINNING
    """Where in its output the match begins that it plays."""
    resident_bytes: int = 0
    """When its last match was over."""

    @property
    def is_usable(self) -> bool:
        """Whether it can be given another match."""
        return not self.stream.spoiled and not self.process.exited.done()

    def plays(self, game: str) -> bool:
        """Whether it joined for that game."""
        return game in self.games or EVERY_GAME in self.games


class Starter:
    """Starts processes, each in an empty directory of its own, which goes with it, beside the socket at `address`."""

    def __init__(self, launcher: Launcher, server: PlayServer, address: str) -> None:
        self._scratch = Path(address.removeprefix("unix:")).with_name(SCRATCH_NAME)
        self._scratches = itertools.count(1)
        self._launcher = launcher
        self._server = server
        self._address = address
        self._endings = Endings()

    async def start(self, seat: SeatSpec, spec: MatchSpec) -> WarmBot:
        """A process that has joined for the game of `spec`. Raises StartError, HostingError."""
        admission = self._server.admit()
        process = None
        try:
            process = await self._launch(seat, admission)
            return await self._welcome(seat, spec, admission, process)
        except LaunchError as error:
            self._server.dismiss(admission)
            raise StartError(FaultCause.START_FAILED, f"It could not be started: {error}.", {}) from error
        except BaseException:
            self._server.dismiss(admission)
            if process is not None and not process.exited.done():
                await process.end()
            raise

    def end(self, bot: WarmBot) -> None:
        """End a process in the background; `settle` waits for it."""
        self._endings.run(self._end(bot))

    async def dismiss(self, bot: WarmBot) -> bool:
        """Close its stream, and end its process; whether that had ended by itself. Raises HostingError."""
        self._server.dismiss(bot.admission)
        return await bot.process.end(LEAVE_GRACE_S)

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended. Raises HostingError if one cannot be ended."""
        await self._endings.settle()

    async def _end(self, bot: WarmBot) -> None:
        await self.dismiss(bot)

    async def _launch(self, seat: SeatSpec, admission: Admission) -> HostedProcess:
        scratch = self._scratch / str(next(self._scratches))
        environment = self._environment(seat, admission, scratch)
        keep = Keep(seat.sandbox, seat.memory_mb, socket=Path(self._address.removeprefix("unix:")))
        starting = asyncio.create_task(
            self._launcher.start(seat.command, seat.directory, environment, scratch=scratch, keep=keep)
        )
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._endings.run(_end_unwanted(starting))
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
                raise await explain_absence(process, limit_s)
        except JoinError as error:
            has_left = await process.end(LEAVE_GRACE_S)
            raise await refuse(error.cause, error.explanation, process, by_itself=has_left) from error
        finally:
            joining.cancel()
        bot = WarmBot(BotKey.of(seat), process, admission, stream, games)
        if not bot.plays(spec.game):
            raise StartError(FaultCause.START_FAILED, f"It joined for {_list(games)}, not for {spec.game}.", {})
        return bot

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
