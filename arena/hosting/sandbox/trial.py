"""Tries a sandbox with the real command line: a program inside reports what it can do, then its end is checked."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path

from arena.hosting.errors import HostingError, SandboxUnavailableError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.procfs.processes import list_descendants, read_relations
from arena.hosting.sandbox.bubblewrap import most_processes
from arena.hosting.sandbox.checks import SandboxCheck, judge
from arena.hosting.sandbox.group_trial import try_groups
from arena.hosting.sandbox.levels import BotProgram
from arena.hosting.sandbox.limits import STRICT, WRAPPED_LEVELS, SandboxLimits
from arena.hosting.sandbox.start import start_confined
from arena.hosting.user_directories import SCRATCH_NAME, SOCKET_NAME, runtime_directory
from engine.text import Text

PROGRAM = Path(__file__).with_name("inside") / "main.py"
REPORT_LIMIT_S = 30.0
_LOOK_S = 0.01


async def try_level(level: str) -> list[SandboxCheck]:
    """Return the checks of a level on this machine. Raises SandboxUnavailableError if nothing can be started in it."""
    with runtime_directory() as directory, socket.socket(socket.AF_UNIX) as listener:
        limits = SandboxLimits(level, socket=directory / SOCKET_NAME)
        listener.bind(str(limits.socket))
        listener.listen()
        outside = directory / "outside"
        outside.touch()
        async with LauncherClient() as launcher:
            most = most_processes(limits) if level in WRAPPED_LEVELS else 0
            process = await _start(launcher, limits, directory, [str(outside), str(most)])
            said = await _await_report(process)
            pids = [pid for pid in list_descendants(process.pid) if pid != process.pid]
            await process.end()
            left = [pid for pid in pids if (relations := read_relations(pid)) and not relations.is_zombie]
            groups = await try_groups(launcher) if level == STRICT else []
        return [*judge(level, json.loads(said), most, os.geteuid(), left), *groups]


async def _start(
    launcher: LauncherClient, limits: SandboxLimits, directory: Path, arguments: list[str]
) -> HostedProcess:
    environment = {"ARENA_ADDRESS": f"unix:{limits.socket}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(PROGRAM), *arguments]
    program = BotProgram(command, str(PROGRAM.parent), environment, directory / SCRATCH_NAME)
    try:
        return await start_confined(launcher, program, limits)
    except SandboxUnavailableError:
        raise
    except HostingError as error:
        raise SandboxUnavailableError(str(error)) from error


async def _await_report(process: HostedProcess) -> str:
    """Return the line that the program prints at its end. Raises SandboxUnavailableError if there is none."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + REPORT_LIMIT_S
    while loop.time() < deadline and not process.exited.done():
        said = (await process.collect()).stdout
        if said.endswith("\n"):
            return said
        await asyncio.sleep(_LOOK_S)
    await process.end()
    output = await process.collect()
    if output.stdout.endswith("\n"):
        return output.stdout
    words = output.stderr.strip().splitlines()
    raise SandboxUnavailableError(
        words[-1]
        if words
        else Text("hosting.it_ended_with", "it ended with {what}", what=process.exited.result().describe())
    )
