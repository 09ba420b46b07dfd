"""Starts bot processes, has them join, and ends them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.hosting.bot_environment import bot_environment
from arena.hosting.errors import HostingError, LaunchError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.runtime_directory import SCRATCH_NAME
from arena.hosting.sandbox.levels import Program
from arena.hosting.sandbox.limits import Limits
from arena.hosting.sandbox.start import start_confined
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec, SeatSpec
from arena.referee.join import JoinError, Welcome, join
from arena.referee.server import Admission, PlayServer
from arena.referee.stream import BotStream
from arena.worker.background import BackgroundTasks
from arena.worker.blame import StartError, explain_absence, refuse
from arena.worker.warm_bot import BotKey, WarmBot

LEAVE_GRACE_S = 0.5
_UNIX = "unix:"


class BotStarter:
    """Starts processes that play at one address, each in an empty directory that is removed with it."""

    def __init__(
        self,
        launcher: LauncherClient,
        server: PlayServer,
        address: str,
        welcome: Welcome = join,
        directory: Path | None = None,
    ) -> None:
        """Make the directories of processes in `directory`, or, if it is None, beside the socket at `address`.

        An address without a socket is out of reach of a sandbox.
        """
        self._socket = Path(address.removeprefix(_UNIX)) if address.startswith(_UNIX) else None
        beside = Path() if self._socket is None else self._socket.parent
        self._scratch = (directory or beside) / SCRATCH_NAME
        self._scratches = itertools.count(1)
        self._launcher = launcher
        self._server = server
        self._address = address
        self._welcome = welcome
        self._background = BackgroundTasks()

    async def start(self, seat: SeatSpec, spec: MatchSpec) -> WarmBot:
        """Start a process and return it when it has joined for the game of `spec`. Raises StartError, HostingError."""
        return await self.start_for(seat, spec.clock.start_limit_us / 1_000_000, spec.game)

    async def start_for(self, seat: SeatSpec, limit_s: float, game: str | None = None) -> WarmBot:
        """Start a process and return it when it has joined, within that time, for that game if one is given.

        Raises StartError, HostingError.
        """
        admission = self._server.admit()
        process = None
        try:
            process = await self._launch(seat, admission)
            return await self._await_join(seat, admission, process, limit_s, game)
        except LaunchError as error:
            self._server.dismiss(admission)
            raise StartError(FaultCause.START_FAILED, f"It could not be started: {error}.", {}) from error
        except BaseException as error:
            self._server.dismiss(admission)
            if process is not None and not process.exited.done():
                await process.end()
            if process is not None and isinstance(error, StartError):
                error.log = await process.log()
            raise

    def end(self, bot: WarmBot) -> None:
        """End a process in the background; `settle` waits for it."""
        self._background.run(self._end(bot))

    async def dismiss(self, bot: WarmBot) -> bool:
        """Close its stream, end its process, and return whether that had ended by itself. Raises HostingError."""
        self._server.dismiss(bot.admission)
        return await bot.process.end(LEAVE_GRACE_S)

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended. Raises HostingError if one cannot be ended."""
        await self._background.settle()

    async def _end(self, bot: WarmBot) -> None:
        await self.dismiss(bot)

    async def _launch(self, seat: SeatSpec, admission: Admission) -> HostedProcess:
        scratch = self._scratch / str(next(self._scratches))
        environment = bot_environment(seat.directory, scratch, self._address, admission.token)
        program = Program(seat.command, seat.directory, environment, scratch, seat.trees, seat.environment)
        limits = Limits(seat.sandbox, seat.memory_mb, socket=self._socket)
        starting = asyncio.create_task(start_confined(self._launcher, program, limits))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._background.run(_end_unwanted(starting))
            raise

    async def _await_join(
        self, seat: SeatSpec, admission: Admission, process: HostedProcess, limit_s: float, game: str | None
    ) -> WarmBot:
        """Return the process when it has joined. Raises StartError if it ends or is too late, HostingError."""
        joining = asyncio.create_task(self._join(admission))
        news: set[asyncio.Future[Any]] = {joining, process.exited}
        try:
            await asyncio.wait(news, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            if not joining.done() and admission.stream.done():
                await asyncio.wait({joining}, timeout=LEAVE_GRACE_S)  # what it sent before it ended is judged first
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
        if game is not None and not bot.plays(game):
            raise StartError(FaultCause.START_FAILED, f"It joined for {_list(games)}, not for {game}.", {})
        return bot

    async def _join(self, admission: Admission) -> tuple[BotStream, Sequence[str]]:
        stream = await asyncio.shield(admission.stream)
        return stream, await self._welcome(stream)


def _list(games: Sequence[str]) -> str:
    return ", ".join(game[:40] for game in games[:5]) or "no game"


async def _end_unwanted(starting: asyncio.Task[HostedProcess]) -> None:
    """End a process whose match was cancelled while it was being started."""
    try:
        process = await starting
    except HostingError:
        return  # it did not even start
    await process.end()
