"""Gives scenarios what they work with: processes of the bot, matches with it or parts of them, and the end of both.

A process that has kept every rule so far plays the next scenario as well, as it would in the arena.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from arena.conform.dialogue import Dialogue, Patience
from arena.conform.process import BotStart, Launcher, Running
from arena.conform.random_match import CheckMatch, CheckMatchSetup
from arena.conform.rules import Offer, Transport
from arena.conform.streams import ScriptedDescriptors, ScriptedLines, ScriptedServer, ScriptedSocket, ScriptedStream
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, encode_joined
from arena.wire.status import Status
from engine import registry
from engine.core import Game

Change = Callable[[play_pb2.PlayResponse], None]
"""Changes a message before it is sent."""
_CLOSED_DESCRIPTOR = 987
"""A number that no descriptor of a new process has."""


class Harness:
    """One bot at a time, for scenarios that are played one after another."""

    def __init__(
        self,
        launcher: Launcher,
        directory: Path,
        patience: Patience,
        offer: Offer = Offer.PROTOBUF,
        games: Sequence[str] = (EVERY_GAME,),
    ) -> None:
        """`directory` is an empty one with a short path; `games` are those of a bot that speaks lines."""
        self.offer = offer
        self.transport = Transport.LINES if offer is Offer.LINES else Transport.GRPC
        """How the messages of the bot travel; once it has been met, the one that it chose."""
        self._games = games
        self._launcher = launcher
        self._directory = directory
        directory.mkdir()
        self._numbers = itertools.count(1)
        self._server: ScriptedServer | None = None
        self._stream: ScriptedDescriptors | None = None  # what the bot was started with
        self._warm: Dialogue | None = None
        self._running: list[Running] = []
        self.patience = patience

    @property
    def is_used(self) -> bool:
        """Whether the next scenario gets a process that has played before."""
        return self._warm is not None and self._warm.matches > 0 and not self._warm.has_ended

    # Processes.

    async def bot(self) -> Dialogue:
        """Return a bot that has joined: the one that played before if it is still there, else a new one."""
        if self._warm is None or self._warm.has_ended:
            await self.close()
            bot = await self.greet()
            await bot.send(joined(bot.games))
            self._warm = bot
        return self._warm

    def keep(self, bot: Dialogue) -> None:
        """Let a bot that was greeted, and has been told Joined, play the next scenarios too."""
        self._warm = bot

    async def greet(self, *, tcp: bool = False, has_health: bool = True) -> Dialogue:
        """Start a new bot, and return it when it has sent its Join, if it sends one. Raises SilentError, BrokenError.

        `tcp` and `has_health` say how gRPC is served.
        """
        await self.close()
        streams: asyncio.Queue[ScriptedStream] = asyncio.Queue()
        address = ""
        if self.offer is Offer.LINES:
            self._stream = await ScriptedLines.open()
            streams.put_nowait(self._stream)
        else:
            address = await self._serve(ScriptedServer(streams.put_nowait, has_health=has_health), tcp=tcp)
        if self.offer is Offer.PROTOBUF:
            self._stream = await ScriptedSocket.open(streams.put_nowait)
        token = secrets.token_urlsafe(24)
        dialogue = Dialogue(streams, await self._start(address, token), token, self.patience)
        await dialogue.meet()
        self.transport = dialogue.stream.transport
        if self.offer is Offer.LINES:
            dialogue.games = self._games
        else:
            await dialogue.receive_join(tuple(registry.names()))
        return dialogue

    async def start_refused(self, refusal: Status) -> Running:
        """Start a new bot whose call is ended by an error at once."""
        await self.close()
        address = await self._serve(ScriptedServer(lambda _: None, refusal))
        return await self._start(address, secrets.token_urlsafe(24))

    async def start_alone(self) -> Running:
        """Start a new bot at an address where nobody listens, and with a descriptor that is not open."""
        await self.close()
        number = _CLOSED_DESCRIPTOR if self.offer is Offer.PROTOBUF else None
        return await self._start(f"unix:{self._directory}/nobody.sock", secrets.token_urlsafe(24), number)

    async def break_off(self) -> None:
        """Take everything away, in the way in which an arena vanishes that is killed."""
        if self._stream is not None:
            self._stream.break_off()
        if self._server is not None:
            await self._server.stop()

    async def close(self) -> None:
        """End the bot and its server."""
        self._warm = None
        running, self._running = self._running, []
        server, self._server = self._server, None
        stream, self._stream = self._stream, None
        for process in running:
            await process.end()
        if stream is not None:
            await stream.stop()
        if server is not None:
            await server.stop()

    async def _serve(self, server: ScriptedServer, *, tcp: bool = False) -> str:
        """Start a server, and return the address for the bot."""
        self._server = server
        return await server.start("127.0.0.1:0" if tcp else f"unix:{self._directory}/{next(self._numbers)}.sock")

    async def _start(self, address: str, token: str, stream_number: int | None = None) -> Running:
        scratch = self._directory / f"work-{next(self._numbers)}"
        scratch.mkdir()
        offered = {} if self._stream is None else self._stream.offered
        process = await self._launcher(BotStart(address, token, scratch, offered, stream_number))
        self._running.append(process)
        if self._stream is not None:
            self._stream.note_started()
        return process


@contextlib.asynccontextmanager
async def open_harness(
    launcher: Launcher,
    directory: Path,
    patience: Patience,
    offer: Offer = Offer.PROTOBUF,
    games: Sequence[str] = (EVERY_GAME,),
) -> AsyncIterator[Harness]:
    """Open a harness, and close it at the end."""
    harness = Harness(launcher, directory, patience, offer, games)
    try:
        yield harness
    finally:
        await asyncio.shield(harness.close())


def joined(games: Sequence[str]) -> play_pb2.PlayResponse:
    """Return the arena's answer to a Join for these games."""
    return play_pb2.PlayResponse.FromString(encode_joined(games))


def games_of(bot: Dialogue) -> list[Game]:
    """Return the installed games that the bot plays, of a family those that it names; there is at least one."""
    every = registry.single_names() if EVERY_GAME in bot.games else ()
    return [registry.get(name) for name in sorted({*every, *({*registry.names()} & {*bot.games})})]


def usual_setting(game: Game) -> CheckMatchSetup:
    """Return the smallest match of a game, with the bot in its last seat: it hears of others before it is asked."""
    return CheckMatchSetup(seats=game.seats[0], seat=game.seats[0] - 1)


def keep(_response: play_pb2.PlayResponse) -> None:
    """Leave the message as it is."""


async def open_match(bot: Dialogue, match: CheckMatch, change: Change = keep) -> None:
    """Tell the bot that a match starts, and let the others play until it must be asked."""
    started = match.started()
    change(started)
    bot.matches += 1
    await bot.send(started)
    match.begin()


async def ask(bot: Dialogue, match: CheckMatch, change: Change = keep) -> play_pb2.PlayRequest:
    """Ask the bot what is pending, and play its answer."""
    decide = match.decide()
    change(decide)
    return await bot.ask(match, decide)


async def close_match(bot: Dialogue, match: CheckMatch, change: Change = keep) -> None:
    """End the match, by the resignation of the others unless it is over, and tell the bot."""
    unsent = match.match.decision
    match.end()
    finished = match.finished(unsent)
    change(finished)
    await bot.send(finished)


async def play(
    bot: Dialogue,
    match: CheckMatch,
    decisions: int = 1,
    *,
    on_start: Change = keep,
    on_decide: Change = keep,
    on_finish: Change = keep,
) -> None:
    """Play a match up to so many decisions of the bot."""
    await open_match(bot, match, on_start)
    for _ in range(decisions):
        if not match.is_over:
            await ask(bot, match, on_decide)
    await close_match(bot, match, on_finish)


def usual_match(bot: Dialogue) -> CheckMatch:
    """Return the smallest match of the bot's first game."""
    game = games_of(bot)[0]
    return CheckMatch(game, usual_setting(game))


async def open_usual(bot: Dialogue) -> CheckMatch:
    """Begin the smallest match of the bot's first game, up to its first decision."""
    match = usual_match(bot)
    await open_match(bot, match)
    return match


async def play_usual(bot: Dialogue, decisions: int = 1, **changes: Change) -> None:
    """Play the beginning of the smallest match of the bot's first game."""
    await play(bot, usual_match(bot), decisions, **changes)
