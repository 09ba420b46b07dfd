"""Tries a sandbox with the real command line: a program inside reports what it can do, then its end is watched."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path

from arena.hosting.errors import HostingError, SandboxUnavailableError
from arena.hosting.launcher.client import HostedProcess, Launcher
from arena.hosting.proc.processes import list_descendants, read_relations
from arena.hosting.runtime_directory import SCRATCH_NAME, SOCKET_NAME, runtime_directory
from arena.hosting.sandbox.bubblewrap import most_processes
from arena.hosting.sandbox.checks import Check, judge
from arena.hosting.sandbox.limits import STANDARD, Keep

PROGRAM = Path(__file__).with_name("inside") / "main.py"
REPORT_LIMIT_S = 30.0
_LOOK_S = 0.01


async def try_level(level: str) -> list[Check]:
    """The checks of a level on this machine. Raises SandboxUnavailableError if nothing starts in it at all."""
    with runtime_directory() as directory, socket.socket(socket.AF_UNIX) as listener:
        keep = Keep(level, socket=directory / SOCKET_NAME)
        listener.bind(str(keep.socket))
        listener.listen()
        outside = directory / "outside"
        outside.touch()
        async with Launcher() as launcher:
            most = most_processes(keep) if level == STANDARD else 0
            process = await _start(launcher, keep, directory, [str(outside), str(most)])
            said = await _await_report(process)
            pids = [pid for pid in list_descendants(process.pid) if pid != process.pid]
            await process.end()
            left = [pid for pid in pids if (relations := read_relations(pid)) and not relations.is_zombie]
        return judge(level, json.loads(said), most, os.geteuid(), left)


async def _start(launcher: Launcher, keep: Keep, directory: Path, arguments: list[str]) -> HostedProcess:
    environment = {"ARENA_ADDRESS": f"unix:{keep.socket}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(PROGRAM), *arguments]
    scratch = directory / SCRATCH_NAME
    try:
        return await launcher.start(command, str(PROGRAM.parent), environment, scratch=scratch, keep=keep)
    except SandboxUnavailableError:
        raise
    except HostingError as error:
        raise SandboxUnavailableError(str(error)) from error


async def _await_report(process: HostedProcess) -> str:
    """The line it prints when it has tried everything."""
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
    raise SandboxUnavailableError(words[-1] if words else f"it ended with {process.exited.result().describe()}")
