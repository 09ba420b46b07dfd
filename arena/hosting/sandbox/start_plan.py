"""Turns a level into a request to the launcher (command, environment, confinement), and starts a bot by it.

It looks for tools; only `start_confined` starts anything.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.hosting.bot_environment import (
    holds_foreign_packages,
    import_roots,
    package_roots,
    python_trees,
    system_settings,
    system_trees,
)
from arena.hosting.cgroups.hierarchy import GroupLimits
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.launcher.client import HostedProcess, LauncherClient
from arena.hosting.launcher.confine import landlock_version
from arena.hosting.launcher.messages import Confinement, StartRequest, WatchedLimits
from arena.hosting.sandbox.bubblewrap import (
    BOT,
    PER_USER,
    SHARED_MEMORY_BYTES,
    SOCKET,
    WORK,
    MissingToolError,
    SandboxMounts,
    wrapper,
)
from arena.hosting.sandbox.limits import NONE, STRICT, WRAPPED_LEVELS, SandboxLimits
from arena.hosting.sandbox.seccomp import UnknownMachineError, seccomp_filter
from engine.translatable import Text, joined

ADDRESS_SPACE_SPARE_MB = 4096
"""Address space is free and runtimes reserve much of it; this limit only slows what the watchdog then ends."""
KERNEL_SPARE_BYTES = 16 << 20
"""What the kernel may keep for an honest bot: stacks and tables of its threads and pages, its descriptors."""
_READABLE = ("/bin", "/lib", "/lib64", "/dev/urandom", "/proc/self")
_WRITABLE = ("/dev/null",)


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A program to start as a bot, described as it is outside any sandbox."""

    command: Sequence[str]
    """Ready for exec."""
    directory: str
    """Where its files lie."""
    environment: Mapping[str, str]
    scratch: Path | None
    """Its working directory, which must not exist: it is made for the process and removed after its end.

    None if it works where its files lie."""
    trees: Sequence[str] | None = None
    """What its runtime needs besides the system; None for what the arena's own Python does."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What its runtime adds to the environment, at every level; its PYTHONPATH follows the directory of the bot."""
    is_writable: bool = False
    """Whether it may change its files and works where they lie; then it has no `scratch`."""

    @property
    def mounts(self) -> SandboxMounts:
        """What it sees of this machine besides the system."""
        return SandboxMounts(
            Path(self.directory), None if self.trees is None else [*map(Path, self.trees)], self.is_writable
        )

    @property
    def writable(self) -> str | None:
        """The directory that it may change and that stays after its end."""
        return self.directory if self.is_writable else None


def plan_start(program: BotProgram, limits: SandboxLimits, *, own_uid: bool) -> StartRequest:
    """Return the request that starts a program within the limits, at their level.

    In a sandbox it gets a user id of its own if `own_uid` says so. Raises MissingToolError, UnknownMachineError.
    """
    if limits.level in WRAPPED_LEVELS:
        return _plan_wrapped(program, limits, own_uid)
    environment, confinement = _own_environment(program, program.directory), None
    if limits.level != NONE:
        own = {
            **program.environment,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": program.environment.get("TMPDIR", "/tmp"),
            "PYTHONPATH": _python_path(program.directory),
        }
        environment = _own_environment(replace(program, environment=own), program.directory)
        confinement = _reduced_confinement(program, limits)
    return StartRequest(
        argv=program.command,
        directory=program.directory,
        environment=environment,
        scratch=None if program.scratch is None else str(program.scratch),
        writable=program.writable,
        limits=_watched(limits),
        confinement=confinement,
    )


def _plan_wrapped(program: BotProgram, limits: SandboxLimits, own_uid: bool) -> StartRequest:
    group = None
    if limits.level == STRICT:  # the files in its private directories are memory as well
        private_bytes = (limits.disk_mb << 20) + SHARED_MEMORY_BYTES
        group = GroupLimits((limits.memory_mb << 20) + private_bytes + KERNEL_SPARE_BYTES, limits.processes)
    return StartRequest(
        argv=[_inside(word, program.directory) for word in program.command],
        directory=program.directory,
        environment=_inside_environment(program, limits),
        writable=program.writable,
        limits=_watched(limits),
        confinement=Confinement(
            rlimits=_rlimits(limits),
            seccomp=_encoded_filter(program, limits),
            wrapper=wrapper(limits, program.mounts, own_uid=own_uid),
            own_uid=own_uid,
            group=group,
        ),
        program=program.command[0],
    )


def _watched(limits: SandboxLimits) -> WatchedLimits:
    return WatchedLimits(
        memory_bytes=limits.memory_mb << 20,
        processes=limits.processes,
        disk_bytes=limits.disk_mb << 20,
        files=limits.files,
        output_bytes=limits.output_mb << 20,
        descriptors=None if limits.level == NONE else limits.descriptors,
    )


def _rlimits(limits: SandboxLimits) -> dict[str, int]:
    return {
        "RLIMIT_AS": (limits.memory_mb + ADDRESS_SPACE_SPARE_MB) << 20,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.disk_mb << 20,
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": limits.cpu_s,
        "RLIMIT_MSGQUEUE": 0,
    }


def _encoded_filter(program: BotProgram, limits: SandboxLimits) -> str:
    # A build plays against nobody, and tools lock what they write; a bot could speak to another one by a lock.
    words = seccomp_filter(may_lock=program.is_writable, may_lead_sessions=limits.level == STRICT)
    return base64.b64encode(words).decode()


def _reduced_confinement(program: BotProgram, limits: SandboxLimits) -> Confinement:
    if landlock_version() < 1:
        raise MissingToolError(
            joined(
                Text("there is no Landlock"), Text("take a kernel of 5.13 or newer, with landlock among its modules")
            )
        )
    trees = [*map(str, python_trees())] if program.trees is None else program.trees
    places = {
        "read": [*map(str, (*system_trees(), *system_settings())), *trees, *_READABLE, program.directory],
        "list": [str(root) for root in package_roots()],
        "write": [*_WRITABLE, *map(str, filter(None, (program.scratch, program.writable, limits.socket)))],
    }
    rlimits = _rlimits(limits) | {f"RLIMIT_{name.upper()}": most for name, most in PER_USER.items()}
    return Confinement(rlimits=rlimits, seccomp=_encoded_filter(program, limits), landlock=places)


def _inside(word: str, directory: str) -> str:
    """Return a word of a command as it must be in the sandbox, where the bot's files lie at /bot."""
    if word == directory or word.startswith(f"{directory}/"):
        return str(BOT) + word[len(directory) :]
    return word


def _own_environment(program: BotProgram, bot: str) -> dict[str, str]:
    """Return the environment of a program whose files lie at `bot`, with what its runtime adds."""
    if program.trees is None:
        return {**program.environment, **program.variables}
    roots = program.variables.get("PYTHONPATH", "").split(os.pathsep)
    if bot != str(BOT):
        # There all packages beside ours would come before those of the runtime; in a sandbox they are not shown.
        roots = [root for root in roots if not holds_foreign_packages(root)]
    return {**program.environment, **program.variables, "PYTHONPATH": os.pathsep.join(filter(None, [bot, *roots]))}


def _inside_environment(program: BotProgram, limits: SandboxLimits) -> dict[str, str]:
    own = {name: value for name, value in program.environment.items() if name.startswith(("ARENA_", "PYTHON"))}
    own |= {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(WORK),
        "TMPDIR": str(WORK),
        "LANG": "C.UTF-8",
        "PYTHONPATH": _python_path(str(BOT)),
        "ARENA_BOT_DIR": str(BOT),
    }
    if limits.socket is not None:
        own["ARENA_ADDRESS"] = f"unix:{SOCKET}"
    return _own_environment(replace(program, environment=own), str(BOT))


def _python_path(bot: str) -> str:
    return os.pathsep.join([bot, *map(str, import_roots())])


async def start_confined(
    launcher: LauncherClient, program: BotProgram, limits: SandboxLimits, descriptors: Mapping[str, int] | None = None
) -> HostedProcess:
    """Start a program as a bot, with these descriptors by what they are for (`launcher.messages`).

    At level `standard` its files lie at /bot, it works in a private /tmp, and its environment says so; its `scratch` is
    not made then. Raises SandboxUnavailableError if this machine cannot confine it, LaunchError if the program itself
    is at fault, another HostingError otherwise.
    """
    has_own_uid = await _gets_own_uid(launcher, program, limits)
    try:
        request = plan_start(program, limits, own_uid=has_own_uid)
    except (MissingToolError, UnknownMachineError) as error:
        raise SandboxUnavailableError(str(error)) from error
    if has_own_uid and limits.socket is not None:
        _open_socket(limits.socket)
    offered = descriptors or {}
    return await launcher.start(replace(request, descriptors=tuple(offered)), tuple(offered.values()))


def _open_socket(path: Path) -> None:
    """Let the user of a bot connect; its directory and the token decide who can use the socket at all."""
    path.chmod(0o666)


async def _gets_own_uid(launcher: LauncherClient, program: BotProgram, limits: SandboxLimits) -> bool:
    """Return whether a program gets a user id of its own, which it needs not to read all that it is to run."""
    if limits.level not in WRAPPED_LEVELS:
        return False
    if os.geteuid() == 0:
        return True
    if program.is_writable or await launcher.explain_shared_ids():
        return False
    return await asyncio.to_thread(_is_readable_for_all, program)


def _is_readable_for_all(program: BotProgram) -> bool:
    trees = (*python_trees(), Path(os.__file__)) if program.trees is None else [*map(Path, program.trees)]
    return all(map(_has_open_mode, [Path(program.command[0]), *trees])) and _is_open_throughout(program.directory)


@functools.lru_cache
def _is_open_throughout(directory: str) -> bool:
    """Return whether every user may read a directory with all that is in it; the files of a bot do not change."""
    return all(map(_has_open_mode, [Path(directory), *Path(directory).rglob("*")]))


def _has_open_mode(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:  # a link to what is not shown to it anyway, or the name of a program that PATH finds
        return True
    return mode & 0o005 == 0o005 if stat.S_ISDIR(mode) else bool(mode & 0o004)
