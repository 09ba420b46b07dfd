"""Starts bot processes, has them join, and ends them.

The time that a bot has to start and to join is charged as that of a decision: by what it used itself. What it waited
for a processor is the host's, and so is what this process was late.

gRPC takes its threads when it needs them. Where it got none, no bot that comes is heard, for a while or for ever, and a
bot that came meanwhile has done nothing wrong: a greeting at a socket of ours tells (`answers`).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from arena.hosting.bot_environment import bot_environment
from arena.hosting.errors import HostBusyError, HostingError, LaunchError, RuntimeDirectoryError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.procfs.run_delay import OwnWaitMeter
from arena.hosting.sandbox.host_capacity import has_room
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.sandbox.start_plan import BotProgram, start_confined
from arena.hosting.user_directories import SCRATCH_NAME
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import Figures
from arena.referee.framing import LineFraming
from arena.referee.server import JoinError, StreamAdmission, Welcome, join
from arena.referee.stream import BotStream
from arena.worker.blame import StartError, explain_absence, refuse
from arena.worker.bot_listener import BotListener, ListenerOpener, framing_of
from arena.worker.freezer import make_meter
from arena.worker.process_setup import RoomWatch, wait_for_room
from arena.worker.warm_bot import BotKey, WarmBot
from engine.translatable import Text, placed

LEAVE_GRACE_S = 0.5
CLOSE_PATIENCE_S = 20.0
"""How long a listener may take to close: one whose gRPC got no thread when it asked for one never does."""
LOOK_S = 0.1
"""How often the connections of a bot are counted that has not joined yet."""
START_LOOK_S = 0.1
PATIENCE_FACTOR = 2
"""After so many times its limit by the wall, a start that got no processor is given up, to be tried again alone."""
BOUND_FACTOR, BOUND_S = 10, 10.0
"""How long the start of a bot may last that starts alone: after this the host cannot play it."""
ANSWER_PATIENCE_S = 10.0
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of HTTP/2 begins: with this line, and a frame of settings without any."""
_FRAME_HEAD_BYTES = 9


def lose(why: str) -> NoReturn:
    """Give up what is being done, with the reason. Raises HostingError."""
    raise HostingError(why)


@dataclass(frozen=True, slots=True)
class _Terms:
    limit_s: float  # how long it may take, by its charge
    game: str | None = None  # what it must join for, if anything
    cores: int = 1
    is_alone: bool = True  # whether nothing else starts meanwhile


class BotStarter:
    """Starts processes, each with a listener of its own and in an empty directory that is removed with it."""

    def __init__(
        self,
        launcher: LauncherClient,
        open_listener: ListenerOpener,
        directory: Path,
        welcome: Welcome = join,
        on_lost: Callable[[str], object] = lose,
    ) -> None:
        """Make the directories of processes in `directory`. A listener without a socket is out of reach of a sandbox.

        Call `on_lost` when listeners of this process are of no use any more, with the reason.
        """
        self._scratch = directory / SCRATCH_NAME
        self._scratches = itertools.count(1)
        self._launcher = launcher
        self._open_listener = open_listener
        self._welcome = welcome
        self._on_lost = on_lost
        self._listeners: set[BotListener] = set()
        self._background = BackgroundTasks()
        self.room = RoomWatch()  # what knows whether this machine had room; somebody has to `run` it

    def listeners(self) -> Sequence[BotListener]:
        """Return the listeners of all processes that it started and that have not ended."""
        return tuple(self._listeners)

    async def start(self, seat: SeatSpec, spec: MatchSpec, *, is_alone: bool = True) -> WarmBot:
        """Start a process and return it when it has joined for the game of `spec`.

        Raises StartError, StarvedError (sooner if it does not start alone), HostingError.
        """
        terms = _Terms(spec.clock.start_limit_us / 1_000_000, spec.game, spec.cores, is_alone)
        return await wait_for_room(lambda: self._start_once(seat, terms))

    async def start_for(self, seat: SeatSpec, limit_s: float) -> WarmBot:
        """Start a process and return it when it has joined, within that time. Raises StartError, HostingError."""
        return await wait_for_room(lambda: self._start_once(seat, _Terms(limit_s)))

    async def _start_once(self, seat: SeatSpec, terms: _Terms) -> WarmBot:
        begun_s = time.monotonic()
        listener = await self._open(framing_of(seat))
        process = None
        try:
            process = await self._launch(seat, listener, terms.game)
            bot = await self._await_join(seat, listener, process, terms)
            bot.started_s = begun_s
            return bot
        except LaunchError as error:
            self._close(listener)
            why = Text("It could not be started: {why}.", why=error)
            raise StartError(FaultCause.START_FAILED, why, {}) from error
        except BaseException as error:
            self._close(listener)
            if process is not None and not process.exited.done():
                await process.end()
            if process is not None and isinstance(error, StartError):
                error.log = await process.log()
            if (
                isinstance(error, StartError)
                and error.cause is FaultCause.START_FAILED
                and not (has_room() and not self.room.was_full_since(begun_s) and await self._is_served())
            ):
                raise HostBusyError(placed("this host has no room for a bot", error.explanation)) from error
            raise

    async def _is_served(self) -> bool:
        """Return whether who comes to a listener is heard; if not, this process is of no use any more."""
        listener = await self._open()
        try:
            if listener.socket is None or await answers(listener.socket):
                return True
        finally:
            self._close(listener)
        self._on_lost("connections to the listeners here are not accepted")
        return False

    def end(self, bot: WarmBot) -> None:
        """End a process in the background; `settle` waits for it."""
        self._background.run(self._end(bot))

    async def dismiss(self, bot: WarmBot) -> bool:
        """Close its stream, end its process, and return whether that had ended by itself. Raises HostingError."""
        bot.listener.dismiss()
        try:
            return await bot.process.end(LEAVE_GRACE_S)
        finally:
            await self._close_for_good(bot.listener)

    async def settle(self) -> None:
        """Wait until the processes that are ending have ended. Raises HostingError if one cannot be ended."""
        await self._background.settle()

    async def _end(self, bot: WarmBot) -> None:
        await self.dismiss(bot)

    async def _open(self, framing: LineFraming | None = None) -> BotListener:
        try:
            listener = await self._open_listener(framing)
        except RuntimeError as error:
            raise RuntimeDirectoryError(f"a socket for a bot could not be made: {error}") from error
        self._listeners.add(listener)
        return listener

    def _close(self, listener: BotListener) -> None:
        listener.dismiss()
        self._background.run(self._close_for_good(listener))

    async def _close_for_good(self, listener: BotListener) -> None:
        self._listeners.discard(listener)
        try:
            async with asyncio.timeout(CLOSE_PATIENCE_S):
                await listener.close()
        except TimeoutError:
            self._on_lost(f"the listener of a bot did not close within {CLOSE_PATIENCE_S:g} s")

    async def _launch(self, seat: SeatSpec, listener: BotListener, game: str | None) -> HostedProcess:
        scratch = self._scratch / str(next(self._scratches))
        environment = bot_environment(seat.directory, scratch, listener.address, listener.admission.token, game)
        program = BotProgram(seat.command, seat.directory, environment, scratch, seat.trees, seat.environment)
        limits = SandboxLimits(seat.sandbox, seat.memory_mb, socket=listener.socket)
        starting = asyncio.create_task(start_confined(self._launcher, program, limits, listener.offered))
        starting.add_done_callback(lambda _: listener.note_started())
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._background.run(_end_unwanted(starting))
            raise

    async def _await_join(
        self, seat: SeatSpec, listener: BotListener, process: HostedProcess, terms: _Terms
    ) -> WarmBot:
        """Return the process when it has joined. Raises StartError if it ends or is too late, HostingError."""
        clock = StartClock(process, terms.limit_s, terms.cores, is_alone=terms.is_alone)
        joining = asyncio.create_task(self._join(listener.admission))
        watching = asyncio.create_task(_watch(listener))
        news: set[asyncio.Future[Any]] = {joining, process.exited}
        try:
            while not any(one.done() for one in news):
                await asyncio.wait(news, timeout=clock.wait_s(), return_when=asyncio.FIRST_COMPLETED)
                if not any(one.done() for one in news) and clock.is_over():
                    break
            if not joining.done() and listener.admission.stream.done():
                await asyncio.wait({joining}, timeout=LEAVE_GRACE_S)  # what it sent before it ended is judged first
            if joining.done():
                stream, games = await joining
                listener.look()
                if stream.flood is not None:
                    raise JoinError(FaultCause.FLOOD, stream.flood.why, stream.flood.evidence)
            else:
                raise await explain_absence(
                    process, terms.limit_s, speaks_lines=seat.speaks_lines, stray=_stray_output(listener)
                )
        except JoinError as error:
            has_left = await process.end(LEAVE_GRACE_S)
            if has_left and error.cause is FaultCause.START_FAILED:
                # How it ended tells more, and may be the host's fault: a sandbox that could not be made.
                raise await explain_absence(
                    process, terms.limit_s, speaks_lines=seat.speaks_lines, stray=_stray_output(listener)
                ) from error
            refused = await refuse(
                error.cause, error.explanation, process, by_itself=has_left, stray=_stray_output(listener)
            )
            refused.evidence.update(error.evidence)
            raise refused from error
        finally:
            clock.close()
            watching.cancel()
            joining.cancel()
        bot = WarmBot(BotKey.of(seat), process, listener, stream, games)
        if terms.game is not None and not bot.plays(terms.game):
            listed = ", ".join(game[:40] for game in games[:5]) or "no game"
            why = Text("It joined for {games}, not for {game}.", games=listed, game=terms.game)
            raise StartError(FaultCause.START_FAILED, why, {})
        return bot

    async def _join(self, admission: StreamAdmission) -> tuple[BotStream, Sequence[str]]:
        stream = await asyncio.shield(admission.stream)
        return stream, await self._welcome(stream)


def _stray_output(listener: BotListener) -> str:
    """Return what a bot that speaks lines wrote to standard output and that is no answer."""
    stream = listener.admission.open_stream
    return "" if stream is None else stream.stray_output()


async def _watch(listener: BotListener) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        listener.look()


async def _end_unwanted(starting: asyncio.Task[HostedProcess]) -> None:
    """End a process whose match was cancelled while it was being started."""
    try:
        process = await starting
    except HostingError:
        return  # it did not even start
    await process.end()


class StarvedError(HostingError):
    """A bot could not start in its time because it got no processor; `figures` tell how it spent that."""

    def __init__(self, figures: Figures) -> None:
        waited_s = (figures.queue_wait_us + figures.referee_lag_us) / 1_000_000
        super().__init__(Text("a bot waited {seconds} s for a processor while it started", seconds=f"{waited_s:.1f}"))
        self.figures = figures


class StartClock:
    """Measures one start, from its creation on; `close` ends the measuring."""

    def __init__(self, process: HostedProcess, limit_s: float, cores: int = 1, *, is_alone: bool = True) -> None:
        """Give a start `limit_s` by its charge; a bot that starts beside others is given up sooner by the wall."""
        self._loop = asyncio.get_running_loop()
        self._limit_us = round(limit_s * 1_000_000)
        bound_s = BOUND_FACTOR * limit_s + BOUND_S if is_alone else PATIENCE_FACTOR * limit_s
        self._bound_us = round(bound_s * 1_000_000)
        self._cores = cores
        self._meter = make_meter(process)
        self._meter.begin()
        self._own = OwnWaitMeter()
        self._own.look()
        self._begun = self._loop.time()
        self._due = self._begun
        self._lag_us = 0
        self._looks = 0

    def wait_s(self) -> float:
        """Return how long to wait until the next look is due."""
        now = self._loop.time()
        left_s = self._begun + self._limit_us / 1_000_000 - now
        self._due = now + (min(START_LOOK_S, left_s) if left_s > 0 else START_LOOK_S)
        return self._due - now

    def is_over(self) -> bool:
        """Look at the start, and return whether it has used up its time. Raises StarvedError."""
        now = self._loop.time()
        wall_us = round((now - self._begun) * 1_000_000)
        self._lag_us += max(round((now - self._due) * 1_000_000), self._own.look()[0], 0)
        self._looks += 1
        figures = Figures(wall_us, is_readable=False)
        if (reading := self._meter.look()) is not None:
            figures = Figures(wall_us, *reading, min(self._lag_us, wall_us), self._looks)
        if figures.charge_us(self._cores) >= self._limit_us:
            return True
        if wall_us >= self._bound_us:
            raise StarvedError(figures)
        return False

    def close(self) -> None:
        """Close the files that were read."""
        self._meter.close()
        self._own.close()


async def answers(socket: Path) -> bool:
    """Return whether a server of HTTP/2 at a socket answers a greeting."""
    writer = None
    try:
        async with asyncio.timeout(ANSWER_PATIENCE_S):
            reader, writer = await asyncio.open_unix_connection(socket)
            writer.write(_GREETING)
            await reader.readexactly(_FRAME_HEAD_BYTES)
    except (OSError, EOFError):  # a TimeoutError is an OSError
        return False
    finally:
        if writer is not None:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
    return True


class BackgroundTasks:
    """A set of tasks; `settle` waits for those that are still running."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Start something in the background."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """Wait until all tasks are done. Raises what the first of them raised."""
        await asyncio.gather(*self._tasks)
