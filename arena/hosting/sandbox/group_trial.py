"""Tries the control groups of this machine part by part, each with a real process that comes to its limit."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.hosting.cgroups.cgroup import CpuAccount, Freezer
from arena.hosting.cgroups.hierarchy import GroupLimits, GroupPlace
from arena.hosting.errors import HostingError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.messages import Confinement, StartRequest
from arena.hosting.sandbox.checks import SandboxCheck
from engine.text import Text

PROGRAM = Path(__file__).with_name("inside") / "group.py"
LIMITS = GroupLimits(memory_bytes=32 << 20, processes=8)
_EATEN_MB = 128
_PATIENCE_S = 10.0
_LOOK_S = 0.005
_FROZEN_S = 0.05
_SOME_US = 20_000
_HARDLY_US = 1_000
"""What it may be on its way to standing still when it is said to (measured: up to 20 us)."""


async def try_groups(launcher: LauncherClient) -> list[SandboxCheck]:
    """Return the checks of a group: CPU, freezer, weight, processes, memory, removal. Raises HostingError."""
    spinner, eater = await asyncio.gather(
        _start(launcher, "spin"), _start(launcher, "eat", str(_EATEN_MB)), return_exceptions=False
    )
    place = spinner.group
    assert place is not None
    checks = [
        SandboxCheck(
            Text("hosting.control_group_own", "a control group of its own"),
            True,
            f"version {place.version}, {place.distinct[0]}",
        )
    ]
    try:
        checks += await _try_freezer(place)
        checks.append(_judge_weight(place))
        await _until(lambda: spinner.written.stdout != b"", spinner)
        spinner.signal(signal.SIGUSR1)
        checks.append(
            await _judge_end(
                spinner,
                Text("hosting.more_processes_than_allowed_refused", "more processes than allowed are refused"),
                "processes",
            )
        )
        checks.append(
            await _judge_end(
                eater,
                Text("hosting.memory_limited_shared_kernel_own", "memory is limited, shared and the kernel's own too"),
                "memory",
            )
        )
    finally:
        await spinner.end()
        await eater.end()
    left = [directory for directory in place.distinct if os.path.isdir(directory)]  # noqa: PTH112
    return [
        *checks,
        SandboxCheck(
            Text("hosting.group_removed", "the group is removed"), not left, ", ".join(left) or "nothing is left"
        ),
    ]


async def _start(launcher: LauncherClient, *arguments: str) -> HostedProcess:
    command = [sys.executable, "-I", "-S", str(PROGRAM), *arguments]
    confinement = Confinement(rlimits={"RLIMIT_CORE": 0}, seccomp="", group=LIMITS)
    return await launcher.start(StartRequest(command, str(PROGRAM.parent), {}, confinement=confinement))


async def _try_freezer(place: GroupPlace) -> list[SandboxCheck]:
    """Return the checks of CPU time and freezer, with a process that computes all the time."""
    account, freezer = CpuAccount(place), Freezer(place)
    try:
        told = await _grows(account)
        stands = freezer.freeze_surely(_PATIENCE_S)  # on a busy machine its turn comes late
        before_us = account.used_us()
        await asyncio.sleep(_FROZEN_S)
        used_us = account.used_us() - before_us
        freezer.thaw()
        goes_on = await _grows(account)
    finally:
        account.close()
        freezer.close()
    return [
        SandboxCheck(Text("hosting.processor_time_told", "its processor time is told"), told, f"{before_us} us"),
        SandboxCheck(
            Text("hosting.stands_still_while_frozen", "it stands still while it is frozen"),
            stands and used_us < _HARDLY_US and goes_on,
            f"{used_us} us in {_FROZEN_S * 1000:.0f} ms{'' if goes_on else ', and did not go on'}",
        ),
    ]


async def _grows(account: CpuAccount) -> bool:
    start_us = account.used_us()
    deadline = asyncio.get_running_loop().time() + _PATIENCE_S
    while account.used_us() - start_us < _SOME_US and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(_LOOK_S)
    return account.used_us() - start_us >= _SOME_US


def _judge_weight(place: GroupPlace) -> SandboxCheck:
    wanted = next(
        one.text for one in place.cgroup_version.settings if (one.role, one.file) == place.cgroup_version.weight
    )
    found = place.read(place.cgroup_version.weight).strip()
    return SandboxCheck(
        Text("hosting.weighs_much_every_other", "it weighs as much as every other"),
        found == wanted,
        f"{place.cgroup_version.weight[1]} {found}",
    )


async def _judge_end(process: HostedProcess, name: str, what: str) -> SandboxCheck:
    ended = await process.wait(_PATIENCE_S)
    found = process.exceeded.what if process.exceeded is not None else "no limit"
    return SandboxCheck(name, ended and found == what, f"it came to: {found}")


async def _until(is_done: Callable[[], bool], process: HostedProcess) -> None:
    """Wait until the output of a process shows something, or it has ended."""
    deadline = asyncio.get_running_loop().time() + _PATIENCE_S
    while not process.exited.done() and asyncio.get_running_loop().time() < deadline:
        with suppress(HostingError):
            await process.collect()
        if is_done():
            return
        await asyncio.sleep(_LOOK_S)
