"""Tries a sandbox with the real command line: a program inside reports what it can do, then its end is checked.

The control groups of this machine are tried part by part, each with a real process that comes to its limit. What must
have been shown is judged by pure functions.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.hosting.cgroups.cgroup import CpuAccount, Freezer
from arena.hosting.cgroups.hierarchy import GroupLimits, GroupPlace
from arena.hosting.errors import HostingError, SandboxUnavailableError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.messages import Confinement, StartRequest
from arena.hosting.procfs.processes import list_descendants, read_relations
from arena.hosting.sandbox.bubblewrap import most_processes
from arena.hosting.sandbox.limits import STRICT, WRAPPED_LEVELS, SandboxLimits
from arena.hosting.sandbox.start_plan import BotProgram, start_confined
from arena.hosting.user_directories import SCRATCH_NAME, SOCKET_NAME, runtime_directory
from engine.translatable import Text

PROGRAM = Path(__file__).with_name("inside") / "main.py"
REPORT_LIMIT_S = 30.0
_LOOK_S = 0.01
_GROUP_LIMITS = GroupLimits(memory_bytes=32 << 20, processes=8)
_EATEN_MB = 128
_PATIENCE_S = 10.0
_GROUP_LOOK_S = 0.005
_FROZEN_S = 0.05
_SOME_US = 20_000
_HARDLY_US = 1_000
"""What it may be on its way to standing still when it is said to (measured: up to 20 us)."""
_REFUSED = {"EPERM", "EACCES", "ENOENT", "EROFS", "EAFNOSUPPORT", "ENOSYS"}


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
            environment = {"ARENA_ADDRESS": f"unix:{limits.socket}", "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, str(PROGRAM), str(outside), str(most)]
            program = BotProgram(command, str(PROGRAM.parent), environment, directory / SCRATCH_NAME)
            try:
                process = await start_confined(launcher, program, limits)
            except SandboxUnavailableError:
                raise
            except HostingError as error:
                raise SandboxUnavailableError(str(error)) from error
            said = await _await_report(process)
            pids = [pid for pid in list_descendants(process.pid) if pid != process.pid]
            await process.end()
            left = [pid for pid in pids if (relations := read_relations(pid)) and not relations.is_zombie]
            groups = await try_groups(launcher) if level == STRICT else []
        return [*judge(level, json.loads(said), most, os.geteuid(), left), *groups]


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
        words[-1] if words else Text("it ended with {what}", what=process.exited.result().describe())
    )


_GROUP_PROGRAM = Path(__file__).with_name("inside") / "group.py"


async def try_groups(launcher: LauncherClient) -> list[SandboxCheck]:
    """Return the checks of a group: CPU, freezer, weight, processes, memory, removal. Raises HostingError."""
    spinner, eater = await asyncio.gather(
        _start_in_group(launcher, "spin"), _start_in_group(launcher, "eat", str(_EATEN_MB)), return_exceptions=False
    )
    place = spinner.group
    assert place is not None
    checks = [SandboxCheck(Text("a control group of its own"), True, f"version {place.version}, {place.distinct[0]}")]
    try:
        checks += await _try_freezer(place)
        wanted = next(
            one.text for one in place.cgroup_version.settings if (one.role, one.file) == place.cgroup_version.weight
        )
        found = place.read(place.cgroup_version.weight).strip()
        checks.append(
            SandboxCheck(
                Text("its group has the CPU weight of every other group"),
                found == wanted,
                f"{place.cgroup_version.weight[1]} {found}",
            )
        )
        await _wait_for_output(spinner)
        spinner.signal(signal.SIGUSR1)
        checks.append(await _judge_end(spinner, Text("more processes than allowed are refused"), "processes"))
        checks.append(await _judge_end(eater, Text("memory is limited, including shared and kernel memory"), "memory"))
    finally:
        await spinner.end()
        await eater.end()
    left = [directory for directory in place.distinct if os.path.isdir(directory)]  # noqa: PTH112
    return [*checks, SandboxCheck(Text("the group is removed"), not left, ", ".join(left) or "nothing is left")]


async def _start_in_group(launcher: LauncherClient, *arguments: str) -> HostedProcess:
    command = [sys.executable, "-I", "-S", str(_GROUP_PROGRAM), *arguments]
    confinement = Confinement(rlimits={"RLIMIT_CORE": 0}, seccomp="", group=_GROUP_LIMITS)
    return await launcher.start(StartRequest(command, str(_GROUP_PROGRAM.parent), {}, confinement=confinement))


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
        SandboxCheck(Text("its processor time can be measured"), told, f"{before_us} us"),
        SandboxCheck(
            Text("it uses no processor time while it is frozen"),
            stands and used_us < _HARDLY_US and goes_on,
            f"{used_us} us in {_FROZEN_S * 1000:.0f} ms{'' if goes_on else ', and did not go on'}",
        ),
    ]


async def _grows(account: CpuAccount) -> bool:
    start_us = account.used_us()
    deadline = asyncio.get_running_loop().time() + _PATIENCE_S
    while account.used_us() - start_us < _SOME_US and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(_GROUP_LOOK_S)
    return account.used_us() - start_us >= _SOME_US


async def _judge_end(process: HostedProcess, name: str, what: str) -> SandboxCheck:
    ended = await process.wait(_PATIENCE_S)
    found = process.exceeded.what if process.exceeded is not None else "no limit"
    return SandboxCheck(name, ended and found == what, f"exceeded: {found}")


async def _wait_for_output(process: HostedProcess) -> None:
    """Wait until a process has written something, or has ended."""
    deadline = asyncio.get_running_loop().time() + _PATIENCE_S
    while not process.exited.done() and asyncio.get_running_loop().time() < deadline:
        with suppress(HostingError):
            await process.collect()
        if process.written.stdout:
            return
        await asyncio.sleep(_GROUP_LOOK_S)


@dataclass(frozen=True, slots=True)
class SandboxCheck:
    """One thing that a sandbox must do, and whether it did."""

    name: str
    holds: bool
    found: str


def judge(level: str, said: Mapping[str, Any], processes: int, started_by: int, left: list[int]) -> list[SandboxCheck]:
    """Return the checks of a trial.

    `said` is what `inside/main.py` printed, `processes` the limit it was given, `started_by` our user id, and `left`
    are the processes that outlived the kill.
    """
    checks = [
        SandboxCheck(
            Text("the same interpreter"),
            (said["version"], said["prefix"]) == (sys.version, sys.prefix),
            Text(
                "{version} at {path}, outside {own} at {own_path}",
                version=said["version"].split()[0],
                path=said["prefix"],
                own=sys.version.split()[0],
                own_path=sys.prefix,
            ),
        ),
        SandboxCheck(
            Text("the packages for bots can be read"), set(said["packages"]) == {"done"}, ", ".join(said["packages"])
        ),
        _refused(Text("files outside cannot be read"), [said["outside"], said["passwords"]]),
        _refused(Text("its code cannot be changed"), [said["code"]]),
        SandboxCheck(Text("its own directory can be written"), said["work"] == "done", said["work"]),
        _refused(Text("no network"), said["sockets"]),
        SandboxCheck(Text("the arena's socket can be reached"), said["referee"] == "done", said["referee"]),
        _refused(Text("namespaces, tracing and priorities are refused"), said["calls"]),
    ]
    if level in WRAPPED_LEVELS:
        checks += [
            SandboxCheck(
                Text("it is not root"),
                started_by != 0 or said["uid"] != 0,
                Text("user {user}, started by {starter}", user=said["uid"], starter=started_by),
            ),
            SandboxCheck(
                Text("a fork bomb is stopped"),
                said["processes"] == processes and 1 <= said["forks"] < said["few"],
                Text(
                    "the limit is {allowed}; {started} started with a limit of {few}",
                    allowed=said["processes"],
                    started=said["forks"],
                    few=said["few"],
                ),
            ),
        ]
    checks.append(
        SandboxCheck(Text("no process survives a kill"), not left, Text("{number} processes left", number=len(left)))
    )
    return checks


def _refused(name: str, outcomes: list[str]) -> SandboxCheck:
    return SandboxCheck(name, all(outcome in _REFUSED for outcome in outcomes), ", ".join(outcomes))
