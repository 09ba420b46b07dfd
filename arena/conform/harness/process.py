"""A process of a bot: started in a group of its own, its output kept within bounds, ended with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol

_KEPT_BYTES = 16 * 1024
_CHUNK_BYTES = 64 * 1024
DRAIN_S = 2.0
"""How long what a process wrote is read on after its end."""


class Running(Protocol):
    """A bot that was started."""

    ended: asyncio.Future[int]
    """Its status when it has ended; a signal n is -n."""

    @property
    def stderr(self) -> str:
        """Return the end of what it wrote to stderr."""

    @property
    def written_bytes(self) -> int:
        """Return how much it wrote to stdout and stderr."""

    async def end(self) -> None:
        """Kill it with everything it started, unless it has ended."""


class Launcher(Protocol):
    """Starts the bot that is being checked."""

    async def __call__(self, address: str, token: str, scratch: Path) -> Running:
        """Start a process of it, which works in the empty directory `scratch`. Raises OSError."""


class BotProcess:
    """A process of the bot, being read and waited for by tasks of this event loop."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        loop = asyncio.get_running_loop()
        self._process = process
        self._tail = b""
        self.ended: asyncio.Future[int] = loop.create_future()
        self.written_bytes = 0
        self._readers = [
            loop.create_task(self._read(pipe, is_kept=pipe is process.stderr))
            for pipe in (process.stdout, process.stderr)
            if pipe is not None
        ]
        self._waiter = loop.create_task(self._wait())

    @property
    def stderr(self) -> str:
        """Return the end of what it wrote to stderr."""
        return self._tail.decode(errors="replace")

    async def end(self) -> None:
        """Kill its whole group, unless it has ended, and wait until it is gone."""
        if not self.ended.done():
            self._kill_group()
        await asyncio.shield(self._waiter)

    async def _read(self, pipe: IO[bytes], *, is_kept: bool) -> None:
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        try:
            while data := await reader.read(_CHUNK_BYTES):
                self.written_bytes += len(data)
                if is_kept:
                    self._tail = (self._tail + data)[-_KEPT_BYTES:]
        finally:
            transport.close()

    async def _wait(self) -> None:
        # In a thread: the loop's own waiting ends only when everybody who holds the pipes has ended.
        status = await asyncio.get_running_loop().run_in_executor(None, self._process.wait)
        # What it left behind holds its pipes, and would live on. The number of the group is used again much later.
        self._kill_group()
        # What has left the group holds them still, perhaps for ever.
        _, held = await asyncio.wait(self._readers, timeout=DRAIN_S)
        for reader in held:
            reader.cancel()
        self.ended.set_result(status)

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def start_process(argv: Sequence[str], environment: Mapping[str, str], scratch: Path) -> BotProcess:
    """Start a bot in `scratch`, within a running event loop. Raises OSError."""
    process = subprocess.Popen(
        argv,
        cwd=scratch,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    return BotProcess(process)


async def exit_status(process: Running, patience_s: float) -> int | None:
    """Wait for the end of a bot, and return its status, or None if it lives on."""
    await asyncio.wait({process.ended}, timeout=patience_s)
    return process.ended.result() if process.ended.done() else None
