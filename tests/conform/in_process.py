"""Runs kits in the process of the test: everything of a bot but the process itself is real."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from arena.conform.process import BotStart, Launcher, Running
from arena.hosting.launcher.messages import STREAM
from bots.algorithms.uniform import RandomBot
from bots.errors import ArenaError, ProtocolError
from bots.queue_stream import QueueStream
from bots.session import PlaySession
from bots.socket_stream import SocketStream
from tests.conform import broken_kit

_KEPT = 2000
Play = Callable[[BotStart, Callable[[str], None]], Coroutine[Any, Any, int]]
"""Plays for the arena, writes to stderr, and returns the status of its process."""


class InProcess:
    """A kit that runs as a task; to end it is to cancel it."""

    def __init__(self, play: Play, start: BotStart) -> None:
        self.stderr = ""
        self.written_bytes = 0
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._task = asyncio.get_running_loop().create_task(play(start, self._write))
        self._task.add_done_callback(self._done)

    def _write(self, text: str) -> None:
        self.written_bytes += len(text)
        self.stderr = (self.stderr + text)[-_KEPT:]

    def _done(self, task: asyncio.Task[int]) -> None:
        if task.cancelled():
            self.ended.set_result(-9)
        elif (error := task.exception()) is not None:
            self.stderr += f"{type(error).__name__}: {error}\n"
            self.ended.set_result(1)
        else:
            self.ended.set_result(task.result())

    async def end(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})


def launcher(defect: str, *, uses_socket: bool = False) -> Launcher:
    """Return what starts the broken kit with a defect, or with none if it is empty."""

    def play(start: BotStart, write: Callable[[str], None]) -> Coroutine[Any, Any, int]:
        return broken_kit.play(defect, start.address, start.token, write, _number(start) if uses_socket else "")

    return _launcher(play)


def launcher_of_our_kit() -> Launcher:
    """Return what starts a bot of the kit for Python."""
    return _launcher(_play_by_our_kit)


def _launcher(play: Play) -> Launcher:
    async def launch(start: BotStart) -> Running:
        # The descriptor that was offered is closed when this returns, as after the start of a process.
        offered = {what: os.dup(number) for what, number in start.offered.items()}
        return InProcess(play, replace(start, offered=offered))

    return launch


def _number(start: BotStart) -> str:
    """What ARENA_STREAM_FD is."""
    return str(start.offered.get(STREAM, start.stream_number or ""))


async def _play_by_our_kit(start: BotStart, write: Callable[[str], None]) -> int:
    """Do as `bots.kit.run` does, in a thread."""
    number = _number(start)

    def play() -> None:
        stream = SocketStream(number) if number else QueueStream(start.address, start.token)
        stream.play(PlaySession(RandomBot()))

    try:
        await asyncio.to_thread(play)
    except (ArenaError, ProtocolError) as error:
        write(f"{error}\n")
        return 1
    return 0
