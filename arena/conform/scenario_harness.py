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

from arena.conform.dialogue import Dialogue, Patience, ScriptedServer
from arena.conform.process import Launcher, Running
from arena.conform.random_match import CheckMatch, CheckMatchSetup
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, encode_joined
from arena.wire.status import Status
from engine import registry
from engine.core import Game

Change = Callable[[play_pb2.PlayResponse], None]
"""Changes a message before it is sent."""


class Harness:
    """One bot at a time, for scenarios that are played one after another."""

    def __init__(self, launcher: Launcher, directory: Path, patience: Patience) -> None:
        """`directory` is an empty one with a short path, for sockets and working directories."""
        self._launcher = launcher
        self._directory = directory
        directory.mkdir()
        self._numbers = itertools.count(1)
        self._server: ScriptedServer | None = None
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
        """Start a new bot, and return it when it has sent its Join. Raises SilentError, BrokenError."""
        await self.close()
        server = await self._serve(ScriptedServer(has_health=has_health), tcp=tcp)
        token = secrets.token_urlsafe(24)
        dialogue = Dialogue(server, await self._start(self._address, token), token, self.patience)
        await dialogue.meet()
        await dialogue.receive_join(tuple(registry.names()))
        return dialogue

    async def start_refused(self, refusal: Status) -> Running:
        """Start a new bot whose call is ended by an error at once."""
        await self.close()
        await self._serve(ScriptedServer(refusal))
        return await self._start(self._address, secrets.token_urlsafe(24))

    async def start_alone(self) -> Running:
        """Start a new bot at an address where nobody listens."""
        await self.close()
        return await self._start(f"unix:{self._directory}/nobody.sock", secrets.token_urlsafe(24))

    async def break_off(self) -> None:
        """Take the server away, in the way in which an arena vanishes that is killed."""
        if self._server is not None:
            await self._server.stop()

    async def close(self) -> None:
        """End the bot and its server."""
        self._warm = None
        running, self._running = self._running, []
        server, self._server = self._server, None
        for process in running:
            await process.end()
        if server is not None:
            await server.stop()

    async def _serve(self, server: ScriptedServer, *, tcp: bool = False) -> ScriptedServer:
        address = "127.0.0.1:0" if tcp else f"unix:{self._directory}/{next(self._numbers)}.sock"
        self._server = server
        self._address = await server.start(address)
        return server

    async def _start(self, address: str, token: str) -> Running:
        scratch = self._directory / f"work-{next(self._numbers)}"
        scratch.mkdir()
        process = await self._launcher(address, token, scratch)
        self._running.append(process)
        return process


@contextlib.asynccontextmanager
async def open_harness(launcher: Launcher, directory: Path, patience: Patience) -> AsyncIterator[Harness]:
    """Open a harness, and close it at the end."""
    harness = Harness(launcher, directory, patience)
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
