"""Starts a bot by the launcher at the level, and within the limits, that it is given."""

from __future__ import annotations

import os
from pathlib import Path

from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.sandbox.bubblewrap import MissingToolError
from arena.hosting.sandbox.levels import Program, plan_start
from arena.hosting.sandbox.limits import NONE, Limits
from arena.hosting.sandbox.seccomp import UnknownMachineError


async def start_confined(launcher: LauncherClient, program: Program, limits: Limits) -> HostedProcess:
    """Start a program as a bot.

    At level `standard` it finds its files at /bot, works in a /tmp of its own, and its environment is told so; nothing
    is made at its `scratch` then. Raises SandboxUnavailableError if this machine cannot do that, LaunchError if the
    program itself is at fault, HostingError otherwise.
    """
    try:
        request = plan_start(program, limits)
    except (MissingToolError, UnknownMachineError) as error:
        raise SandboxUnavailableError(str(error)) from error
    if limits.level != NONE and limits.socket is not None:
        _open_socket(limits.socket)
    return await launcher.start(request)


def _open_socket(path: Path) -> None:
    """Let the user of a bot connect: who reaches the socket at all is decided by its directory, and by the token."""
    if os.geteuid() == 0:
        path.chmod(0o666)
