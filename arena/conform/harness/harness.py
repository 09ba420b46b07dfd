"""Gives scenarios what they work with: processes of the bot, matches for it, and the end of both.

A process that has kept every rule so far plays the next scenario as well, as it would in the arena.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from arena.conform.harness.dialogue import Dialogue
from arena.conform.harness.matches import joined
from arena.conform.harness.patience import Patience
from arena.conform.harness.process import Launcher, Running
from arena.conform.harness.server import ScriptedServer
from arena.wire.status import Status
from engine import registry


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
