"""A process of the bot: its command as its author writes it, its start as the arena would start it, and its end.

It runs in a group of its own, its output is kept within bounds, and all that it started ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from arena.hosting.bot_environment import bot_environment
from arena.hosting.debian_packages import PACKAGES
from arena.hosting.launcher.messages import STDIN, STDOUT, STREAM, STREAM_VARIABLE
from arena.hosting.sandbox.limits import NONE, SandboxLimits
from arena.hosting.sandbox.start_plan import BotProgram, plan_start
from engine.translatable import Text

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


@dataclass(frozen=True, slots=True)
class BotStart:
    """What a process of the bot is started with."""

    address: str
    """Where it finds gRPC; empty if it does not."""
    token: str
    scratch: Path
    """The empty directory in which it works."""
    offered: Mapping[str, int] = field(default_factory=dict)
    """Its descriptors, by what they are for (`arena.hosting.launcher.messages`)."""
    stream_number: int | None = None
    """What ARENA_STREAM_FD is, if that is no descriptor of its."""


class Launcher(Protocol):
    """Starts the bot that is being checked."""

    async def __call__(self, start: BotStart) -> Running:
        """Start a process of it. Raises OSError."""


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


def start_process(
    argv: Sequence[str], environment: Mapping[str, str], scratch: Path, offered: Mapping[str, int] | None = None
) -> BotProcess:
    """Start a bot in `scratch` with the descriptors that it is offered, within a running event loop. Raises OSError."""
    descriptors = offered or {}
    process = subprocess.Popen(
        argv,
        cwd=scratch,
        env=environment,
        stdin=descriptors.get(STDIN, subprocess.DEVNULL),
        stdout=descriptors.get(STDOUT, subprocess.PIPE),
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=[descriptors[STREAM]] if STREAM in descriptors else [],
    )
    return BotProcess(process)


async def exit_status(process: Running, patience_s: float) -> int | None:
    """Wait for the end of a bot, and return its status, or None if it lives on."""
    await asyncio.wait({process.ended}, timeout=patience_s)
    return process.ended.result() if process.ended.done() else None


@dataclass(frozen=True, slots=True)
class Command:
    """How a bot is started."""

    argv: Sequence[str]
    """Ready for exec in any directory."""
    directory: str
    """Where its files lie."""
    trees: Sequence[str] | None = None
    """What its runtime needs besides the system; None for what the arena's own Python does."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What its runtime adds to the environment."""


class CommandError(ValueError):
    """What was given cannot be started; the message ends with the remedy."""


def read_command(words: Sequence[str]) -> Command:
    """Return how the program is started that the words name, with its arguments. Raises CommandError."""
    first = Path(words[0])
    here = Path.cwd()
    program = str(first.absolute()) if first.is_file() else shutil.which(words[0])
    if program is None:
        if package := PACKAGES.get(words[0]):
            why = Text(
                "there is no program {name}; install it, on Debian with `apt install {package}`",
                name=repr(words[0]),
                package=package,
            )
            raise CommandError(why)
        why = Text(
            "there is no program {name}; name a directory with bot.toml, or write the command of the bot "
            "behind --, such as -- python main.py",
            name=repr(words[0]),
        )
        raise CommandError(why)
    if not os.access(program, os.X_OK):
        why = Text("{name} is not executable; write the program that runs it in front of it", name=repr(words[0]))
        raise CommandError(why)
    # Arguments that name a file here must name it in another working directory as well.
    arguments = (str(here / word) if (here / word).is_file() else word for word in words[1:])
    return Command((program, *arguments), str(here))


def launcher_of(command: Command) -> Launcher:
    """Return what starts the bot in the environment that the arena gives it, each time as a process of its own."""

    async def launch(start: BotStart) -> BotProcess:
        environment = bot_environment(command.directory, start.scratch, start.address, start.token)
        number = start.offered.get(STREAM, start.stream_number)
        if number is not None:
            environment[STREAM_VARIABLE] = str(number)
        program = BotProgram(
            command.argv, command.directory, environment, start.scratch, command.trees, command.variables
        )
        request = plan_start(program, SandboxLimits(NONE), own_uid=False)
        return start_process(request.argv, request.environment, start.scratch, start.offered)

    return launch
