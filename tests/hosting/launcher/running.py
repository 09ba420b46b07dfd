"""Processes that a launcher starts for tests."""

import os
import sys

from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.messages import StartRequest
from tests.support.processes import marked_processes, parent_of, wait_until

NAP = "import time; time.sleep(3600)"


def launcher_of(mark: str) -> int:
    """Its process id; its guardian has the same command line for a moment, but another parent."""
    mine: list[int] = []

    def is_there() -> bool:  # a process that has just begun has no environment yet
        found = (pid for pid, command in marked_processes(mark).items() if "hosting/launcher" in command)
        mine[:] = [pid for pid in found if parent_of(pid) == os.getpid()]
        return bool(mine)

    wait_until(is_there)
    (pid,) = mine
    return pid


async def run(launcher: LauncherClient, program: str, *arguments: str, **environment: str) -> HostedProcess:
    inherited = {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]}
    command = [sys.executable, "-S", "-c", program, *arguments]
    return await launcher.start(StartRequest(command, "/", {**inherited, **environment}))
