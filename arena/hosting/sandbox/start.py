"""Starts bots through the launcher, confined as their limits say."""

from __future__ import annotations

import os
from pathlib import Path

from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.sandbox.bubblewrap import MissingToolError
from arena.hosting.sandbox.levels import BotProgram, plan_start
from arena.hosting.sandbox.limits import NONE, SandboxLimits
from arena.hosting.sandbox.seccomp import UnknownMachineError


async def start_confined(launcher: LauncherClient, program: BotProgram, limits: SandboxLimits) -> HostedProcess:
    """Start a program as a bot.

    At level `standard` its files lie at /bot, it works in a private /tmp, and its environment says so; its `scratch` is
    not made then. Raises SandboxUnavailableError if this machine cannot confine it, LaunchError if the program itself
    is at fault, another HostingError otherwise.
    """
    try:
        request = plan_start(program, limits)
    except (MissingToolError, UnknownMachineError) as error:
        raise SandboxUnavailableError(str(error)) from error
    if limits.level != NONE and limits.socket is not None:
        _open_socket(limits.socket)
    return await launcher.start(request)


def _open_socket(path: Path) -> None:
    """Let the user of a bot connect; its directory and the token decide who can use the socket at all."""
    if os.geteuid() == 0:
        path.chmod(0o666)
