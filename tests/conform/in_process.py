"""Runs kits in the process of the test: everything of a bot but the process itself is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from arena.conform.process import Launcher, Running
from bots.algorithms.uniform import RandomBot
from bots.errors import ArenaError, ProtocolError
from bots.queue_stream import QueueStream
from bots.session import PlaySession
from tests.conform import broken_kit

_KEPT = 2000
Play = Callable[[str, str, Callable[[str], None]], Coroutine[Any, Any, int]]
"""Plays for the arena at an address with a token, writes to stderr, and returns the status of its process."""


class InProcess:
    """A kit that runs as a task; to end it is to cancel it."""

    def __init__(self, play: Play, address: str, token: str) -> None:
        self.stderr = ""
        self.written_bytes = 0
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._task = asyncio.get_running_loop().create_task(play(address, token, self._write))
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


def launcher(defect: str) -> Launcher:
    """Return what starts the broken kit with a defect, or with none if it is empty."""
    return _launcher(lambda address, token, write: broken_kit.play(defect, address, token, write))


def launcher_of_our_kit() -> Launcher:
    """Return what starts a bot of the kit for Python."""
    return _launcher(_play_by_our_kit)


def _launcher(play: Play) -> Launcher:
    async def launch(address: str, token: str, scratch: Path) -> Running:
        del scratch
        return InProcess(play, address, token)

    return launch


async def _play_by_our_kit(address: str, token: str, write: Callable[[str], None]) -> int:
    """Do as `bots.kit.run` does, in a thread."""
    try:
        await asyncio.to_thread(lambda: QueueStream(address, token).play(PlaySession(RandomBot())))
    except (ArenaError, ProtocolError) as error:
        write(f"{error}\n")
        return 1
    return 0
