"""Bots and programs for tests of the sandbox, and the levels that this machine has."""

from __future__ import annotations

import asyncio
import functools
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.sandbox.limits import SandboxLimits
from arena.hosting.sandbox.probe import probe
from arena.hosting.sandbox.start_plan import BotProgram, start_confined
from arena.hosting.user_directories import SCRATCH_NAME, SOCKET_NAME, runtime_directory
from tests.support.patience import PATIENCE_S

STANDARD = pytest.param("standard", marks=pytest.mark.needs("sandbox"))
REDUCED = pytest.param("reduced", marks=pytest.mark.needs("minutes"))
"""Parameters of tests: with `"none"` the levels at which most of what the sandbox does is tried."""


@functools.cache
def missing(level: str) -> str:
    """Why a level cannot be tested here; empty if it can."""
    if level == "none":
        return ""
    if level == "reduced" and os.geteuid() == 0:
        return "the reduced sandbox is not for root"
    found = probe(level, remembered=False)
    return "" if found.works else f"no sandbox of level {level}: {found.problem}; {found.remedy}"


def need(level: str) -> str:
    """The level, or the test is skipped."""
    if why := missing(level):
        pytest.skip(why)
    return level


class Place:
    """A running launcher, a listening socket, and a directory for bots."""

    def __init__(self, launcher: LauncherClient, directory: Path, listener: socket.socket) -> None:
        self.launcher, self.directory, self.listener = launcher, directory, listener
        self._count = 0

    async def start(self, level: str, program: str, *arguments: str, **bounds: Any) -> HostedProcess:
        """Start a Python program as a bot."""
        self._count += 1
        bot = self.directory / "bots" / str(self._count)
        bot.mkdir(parents=True, exist_ok=True)
        (bot / "main.py").write_text(program, encoding="utf-8")
        limits = SandboxLimits(level, socket=self.directory / SOCKET_NAME, **bounds)
        environment = {
            "HOME": os.environ["HOME"],
            "PATH": os.environ["PATH"],
            "TMPDIR": str(self.directory / SCRATCH_NAME / str(self._count)),
            # Nobody else's: by it the guardian of a launcher that was killed finds what to end, also in the next test.
            "ARENA_TOKEN": secrets.token_hex(),
            "ARENA_ADDRESS": f"unix:{self.directory / SOCKET_NAME}",
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, "-S", str(bot / "main.py"), *arguments]
        scratch = self.directory / SCRATCH_NAME / str(self._count)
        return await start_confined(self.launcher, BotProgram(command, str(bot), environment, scratch), limits)

    async def run(self, level: str, program: str, *arguments: str, **bounds: Any) -> str:
        """What a program printed that ends by itself."""
        process = await self.start(level, program, *arguments, **bounds)
        assert await process.wait(PATIENCE_S)
        output = await process.collect()
        assert output.stderr == ""
        return output.stdout


@contextmanager
def _listener(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield listener


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    """Everything that bots need; all of it is gone at the end."""
    with runtime_directory() as directory, _listener(directory / SOCKET_NAME) as listener:
        async with LauncherClient() as launcher:
            yield Place(launcher, directory, listener)


NAP = "import time; time.sleep(3600)"
TRY = """
import ctypes, errno, os, socket, sys
def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return errno.errorcode[error.errno]
"""
REFUSED = {"EPERM", "EACCES", "ENOENT", "EROFS", "ENOSYS", "EAFNOSUPPORT"}

# What is given to it goes on in another thread, while the first of the process ends: its files in /proc are empty then.
BEHIND_A_DEAD_THREAD = """
import ctypes, os, platform, threading, time
def go_on(work):
    threading.Thread(target=work).start()
    ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""


async def up(process: HostedProcess) -> None:
    """Wait until it has printed a whole line."""
    async with asyncio.timeout(PATIENCE_S):
        while "\n" not in (await process.collect()).stdout:
            assert not process.exited.done(), await process.collect()
            await asyncio.sleep(0.01)


async def excess(process: HostedProcess) -> tuple[str, str]:
    """For what a process was ended."""
    assert await process.wait(PATIENCE_S), "nobody ended it"
    assert process.exceeded is not None, await process.collect()
    return process.exceeded.what, process.exceeded.sentence
