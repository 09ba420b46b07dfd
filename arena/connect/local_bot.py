"""Runs the bot on this machine: makes its program ready, and keeps its processes.

Processes are started, joined, given to matches, taken back and ended. What they write is followed line by line. A
process plays one match at a time. It is used again unless it did something wrong.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena.connect.news import BotFailsError, BotWrote, Note, OnNews
from arena.hosting.bot_languages import how_to_flush
from arena.hosting.builder.build import BuildFailure, prepare_copy
from arena.hosting.errors import HostingError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.messages import Log
from arena.hosting.manifest import BotManifest, load_manifest
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.user_directories import runtime_directory
from arena.match.spec import SeatSpec, program_seat
from arena.referee.framing import LineFraming
from arena.referee.server import join, receive_join
from arena.referee.stream import BotStream, StreamClosedError
from arena.rpc.errors import ProtocolError
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, PROTOCOL_MAJOR, PROTOCOL_MINOR
from arena.worker.blame import StartError
from arena.worker.bot_listener import DirectListener
from arena.worker.starter import BackgroundTasks, BotStarter
from arena.worker.warm_bot import WarmBot
from engine import registry
from engine.translatable import Text

START_LIMIT_S = 10.0
LOOPBACK = "127.0.0.1"
_DYING_S = 1.0
"""How long the process of a stream that has ended is given to end, too, so that how it ended can be told."""
RETURN_PATIENCE_S = 2.0
"""How long a match waits for a process whose own match is over; without it another one is started."""
DEFAULT_VERSION_DIGITS = 12
LOOK_EVERY_S = 0.3
_LONGEST_LINE = 2000
_SHOWN_WORDS = 200


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a process cannot play on."""

    why: str
    last_words: str


class LocalBotProcesses:
    """The processes of one bot. `open_bots` makes it, and ends everything."""

    def __init__(self, starter: BotStarter, program: LocalProgram, publish: OnNews, start_limit_s: float) -> None:
        self._starter = starter
        self._program = program
        self._publish = publish
        self._start_limit_s = start_limit_s
        self._followers = BackgroundTasks()
        self._idle: list[WarmBot] = []
        self._running: set[WarmBot] = set()
        """Every process that nobody has ended yet: one whose match is broken off may be in nobody's hands."""
        self._unwelcomed: set[WarmBot] = set()
        self._unheard: set[WarmBot] = set()
        """Those that were not needed. Their end looks to them as if they were refused, which is nothing to tell."""
        self._games: Mapping[str, play_pb2.GameInfo] | None = None
        self._started = 0
        self._returning = 0
        self._returned = asyncio.Event()

    async def try_out(self) -> tuple[str, ...]:
        """Start the first process and return the games that it joins for. Raises BotFailsError, HostingError.

        One that speaks lines plays the games of this machine alone, because its lines are written here.
        """
        try:
            bot = await self._start()
        except StartError as error:
            for line in lines_of(error.log):
                self._publish(BotWrote(1, line))
            words = last_line(error.log)
            why = (
                Text("{why} Its last line was: {line}", why=error.explanation, line=repr(words))
                if words
                else error.explanation
            )
            raise BotFailsError(
                Text(
                    "{bot} does not start: {why}; mend it and try again, `arena match run` plays it here",
                    bot=self._program.manifest.name,
                    why=why,
                )
            ) from error
        self._idle.append(bot)
        return self._installed(bot.games) if self._program.seat.speaks_lines else tuple(bot.games)

    def _installed(self, games: Sequence[str]) -> tuple[str, ...]:
        """Return those of the games that are installed here. Raises BotFailsError if there are none."""
        single = registry.single_names() if EVERY_GAME in games else ()
        found = tuple(sorted({*single, *({*games} & {*registry.names()})}))
        if not found:
            why = Text(
                "{bot} speaks lines, and none of its games ({names}) is installed here; `arena game list` shows those "
                "that are",
                bot=self._program.manifest.name,
                names=", ".join(games),
            )
            raise BotFailsError(why)
        return found

    def welcome(self, games: Mapping[str, play_pb2.GameInfo]) -> None:
        """Note the games of the service, which each process is sent before its first match."""
        self._games = games

    def check_game(self, game: str) -> None:
        """Raise ProtocolError for a game of which the service has not told."""
        if self._games is None or game not in self._games:
            raise ProtocolError(
                Text(
                    "the service began a match of {game}, a game of which it had not told; tell its organiser",
                    game=repr(game[:40]),
                )
            )

    async def warm_up(self, number: int) -> None:
        """Start processes until `number` wait for a match. A process that fails is reported when a match needs it."""
        missing = number - len(self._idle)
        for outcome in await asyncio.gather(*(self._start() for _ in range(missing)), return_exceptions=True):
            if isinstance(outcome, WarmBot):
                self._idle.append(outcome)
            elif not isinstance(outcome, StartError):
                raise outcome

    async def take(self) -> WarmBot:
        """Return a process that waits for a match or is about to, or else a new one.

        Raises StartError, StreamClosedError, HostingError.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(RETURN_PATIENCE_S):
                while self._returning and not self._idle:
                    self._returned.clear()
                    await self._returned.wait()
        bot = None
        while self._idle and bot is None:
            bot = self._idle.pop()
            if not bot.is_usable:
                self.end(bot)
                bot = None
        bot = bot or await self._start()
        assert self._games is not None, "no match begins before the service has let the bot in"
        if bot in self._unwelcomed:
            self._unwelcomed.discard(bot)
            known = [info for name, info in self._games.items() if bot.plays(name)]
            joined = play_pb2.Joined(protocol_major=PROTOCOL_MAJOR, protocol_minor=PROTOCOL_MINOR, games=known)
            try:
                await bot.stream.tell(play_pb2.PlayResponse(joined=joined).SerializeToString())
            except (StreamClosedError, asyncio.CancelledError):
                self.end(bot)  # nobody else holds it now
                raise
        return bot

    def seems_unflushed(self, bot: WarmBot) -> bool:
        """Return whether a process that speaks lines has said nothing yet, though it may have tried."""
        return bot.speaks_lines and not bot.stream.heard

    def how_to_flush(self) -> Text:
        """Return what the author of the bot can do about that."""
        return how_to_flush(self._program.manifest, Path(self._program.seat.directory))

    def expect_return(self) -> None:
        """Note that the match of a process is over, so that the next match need not start another one.

        The service begins that one at once, and its clock would run while a process starts.
        """
        self._returning += 1

    def note_return(self) -> None:
        """Note that an expected process was given back, or ended."""
        self._returning -= 1
        self._returned.set()

    def give_back(self, bot: WarmBot) -> None:
        """Keep a process after a match in which it did nothing wrong."""
        bot.stream.detach()
        if bot.is_usable:
            self._idle.append(bot)
        else:
            self.end(bot)

    def end(self, bot: WarmBot) -> None:
        """End a process in the background."""
        bot.stream.detach()
        self._running.discard(bot)
        if bot in self._unwelcomed and not bot.process.exited.done():
            self._unheard.add(bot)
        self._unwelcomed.discard(bot)
        self._starter.end(bot)

    async def stop(self, bot: WarmBot, why: str) -> Stopped:
        """End a process that cannot play on, and return why. Raises HostingError."""
        bot.stream.detach()
        self._unwelcomed.discard(bot)
        has_ended = await bot.process.wait(_DYING_S if bot.stream.is_closed else 0)
        await self._starter.dismiss(bot)
        self._running.discard(bot)
        if bot.process.exceeded is not None:
            why = bot.process.exceeded.sentence
        elif has_ended:
            why = Text("its process ended ({how})", how=bot.process.exited.result().describe())
        return Stopped(why, last_line(await bot.process.log()))

    async def close(self) -> None:
        """End every process; no match may run any more."""
        for bot in list(self._running):
            self.end(bot)
        self._idle.clear()
        await self._starter.settle()
        await self._followers.settle()

    async def _start(self) -> WarmBot:
        bot = await self._starter.start_for(self._program.seat, self._start_limit_s)
        self._running.add(bot)
        if not self._program.seat.speaks_lines:
            self._unwelcomed.add(bot)
        self._started += 1
        number = self._started

        def publish(line: str) -> None:
            if bot not in self._unheard:
                self._publish(BotWrote(number, line))

        self._followers.run(follow_output(bot.process, publish))
        return bot


async def _let_in(stream: BotStream) -> Sequence[str]:
    """Return the games of a bot that has joined, whom the service welcomes later.

    One that speaks lines is welcomed at once, to the games that are installed here: its reading is the sign that it has
    started. Raises JoinError.
    """
    return await (receive_join(stream) if stream.framing.join is None else join(stream))


async def _open_listener(directory: Path, framing: LineFraming | None) -> DirectListener:
    """Return a listener with a socket, or for protobuf with a port of this machine where sockets do not work."""
    try:
        return await DirectListener.open(directory, framing)
    except RuntimeError:
        if framing is not None:
            raise
        return await DirectListener.open_port(LOOPBACK)


@asynccontextmanager
async def open_bots(
    program: LocalProgram, publish: OnNews, start_limit_s: float = START_LIMIT_S
) -> AsyncIterator[LocalBotProcesses]:
    """Start what bots need on this machine; at the end every process and every directory is gone.

    Raises HostingError.
    """
    # gRPC's threads must not get in the way of a process that is forked; it reads this at its first import.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(runtime_directory())
        launcher = await stack.enter_async_context(LauncherClient(remove=[directory]))
        starter = BotStarter(launcher, partial(_open_listener, directory), directory, _let_in)
        bots = LocalBotProcesses(starter, program, publish, start_limit_s)
        stack.push_async_callback(bots.close)
        yield bots


@dataclass(frozen=True, slots=True)
class LocalProgram:
    """A version of a bot that is ready to run on this machine."""

    manifest: BotManifest
    hash: str
    seat: SeatSpec
    """What its processes are started with."""

    @property
    def default_version(self) -> str:
        """What the version is called unless its author has another word for it."""
        return self.hash[:DEFAULT_VERSION_DIGITS]


async def prepare(
    directory: Path, policy: SandboxPolicy, runtimes: RuntimeCatalog, root: Path | None, publish: OnNews
) -> LocalProgram:
    """Copy the files of a bot to where this user's copies lie, build it if it needs that, and return its program.

    Raises BotDirectoryError, StoreError, HostingError; BotFailsError, after its log was published, if the build fails.
    """

    def announce(manifest: BotManifest) -> None:
        publish(Note(Text("building {name} with `{command}`", name=manifest.name, command=shlex.join(manifest.build))))

    prepared = await prepare_copy(directory, policy, runtimes, root, announce)
    if isinstance(prepared, BuildFailure):
        for line in prepared.last_lines:
            publish(Note(f"| {line}"))
        raise BotFailsError(
            Text("{directory} cannot be built: {why}", directory=load_manifest(directory).name, why=prepared.sentence)
        )
    seat = program_seat(prepared.manifest.name, prepared.version, prepared.program, prepared.level)
    return LocalProgram(prepared.manifest, prepared.version, seat)


async def follow_output(process: HostedProcess, on_line: Callable[[str], None]) -> None:
    """Call `on_line` with every line that a process writes, a few times a second, until it has ended."""
    seen, unfinished, has_ended = 0, "", False
    while not has_ended:
        try:
            has_ended = await process.wait(LOOK_EVERY_S)
            log = await process.log(seen)
        except HostingError:
            return  # the launcher is gone, which whoever waits for a match is told
        seen += log.total_bytes
        *lines, unfinished = (unfinished + _text(log)).split("\n")
        if has_ended or len(unfinished) > _LONGEST_LINE:
            lines, unfinished = [*lines, unfinished], ""
        for line in lines:
            if line.strip():
                on_line(line.rstrip()[:_LONGEST_LINE])


def lines_of(log: Log) -> list[str]:
    """Return the non-empty lines that a process wrote."""
    return [line.rstrip()[:_LONGEST_LINE] for line in _text(log).splitlines() if line.strip()]


def last_line(log: Log) -> str:
    """Return the beginning of the last line, which mostly names the error."""
    lines = lines_of(log)
    return lines[-1].strip()[:_SHOWN_WORDS] if lines else ""


def _text(log: Log) -> str:
    head, tail = (part.decode(errors="replace") for part in (log.head, log.tail))
    return f"{head}\n({log.cut_bytes} bytes were not kept)\n{tail}" if log.cut_bytes else head + tail
