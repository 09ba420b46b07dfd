"""Runs the broken kit in the process of the test: everything of a bot but the process itself is real."""

from __future__ import annotations

import asyncio
from pathlib import Path

from arena.conform.stage.process import Launcher, Running
from tests.conform.broken_kit import play

_KEPT = 2000


class InProcess:
    """A kit that runs as a task; to end it is to cancel it."""

    def __init__(self, defect: str, address: str, token: str) -> None:
        self.stderr = ""
        self.written_bytes = 0
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._task = asyncio.get_running_loop().create_task(play(defect, address, token, self._write))
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
    """Return what starts the kit with a defect, or with none if it is empty."""

    async def launch(address: str, token: str, scratch: Path) -> Running:
        del scratch
        return InProcess(defect, address, token)

    return launch
