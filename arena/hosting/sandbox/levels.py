"""What a level means for one process: its words, its environment, what the launcher does around it. Looks for tools."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.hosting.launcher.confine import landlock_version
from arena.hosting.sandbox.bubblewrap import BOT, SOCKET, WORK, MissingToolError, wrapper
from arena.hosting.sandbox.limits import NONE, STANDARD, Keep
from arena.hosting.sandbox.runtime_trees import import_roots, package_roots, python_trees, system_trees
from arena.hosting.sandbox.seccomp import seccomp_filter

ADDRESS_SPACE_SPARE_MB = 4096
"""Address space costs nothing, and runtimes reserve much of it; the limit only slows down what the watchdog ends."""
_READABLE = ("/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/dev/urandom", "/proc/self")
_WRITABLE = ("/dev/null", "/dev/zero")


@dataclass(frozen=True, slots=True)
class Start:
    """A start as the launcher is told it."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    scratch: str | None
    keep: dict[str, Any] | None


def plan_start(
    command: Sequence[str], directory: str, environment: Mapping[str, str], scratch: Path | None, keep: Keep | None
) -> Start:
    """The start of a bot in `directory` at the level of `keep`; without one, a plain process that nobody watches.

    Raises MissingToolError, UnknownMachineError.
    """
    place = str(scratch) if scratch else None
    if keep is None:
        return Start(command, environment, place, None)
    if keep.level == NONE:
        return Start(command, environment, place, _watched(keep))
    if keep.level == STANDARD:
        argv = [_inside(word, directory) for word in command]
        return Start(argv, _environment_inside(environment, keep), None, _wrapped(keep, directory))
    return Start(command, _environment_reduced(environment, directory), place, _reduced(keep, directory, place))


def _watched(keep: Keep) -> dict[str, Any]:
    """What the watchdog of the launcher looks at."""
    return {
        "memory_bytes": keep.memory_mb << 20,
        "processes": keep.processes,
        "disk_bytes": keep.disk_mb << 20,
        "files": keep.files,
        "output_bytes": keep.output_mb << 20,
    }


def _confined(keep: Keep) -> dict[str, Any]:
    limits = {
        "RLIMIT_AS": (keep.memory_mb + ADDRESS_SPACE_SPARE_MB) << 20,
        "RLIMIT_NOFILE": keep.open_files,
        "RLIMIT_FSIZE": keep.disk_mb << 20,
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": keep.cpu_s,
    }
    program = base64.b64encode(seccomp_filter()).decode()
    return {**_watched(keep), "descriptors": keep.descriptors, "rlimits": limits, "seccomp": program}


def _wrapped(keep: Keep, directory: str) -> dict[str, Any]:
    own_uid = os.geteuid() == 0
    words = wrapper(keep, Path(directory), own_uid=own_uid)
    return {**_confined(keep), "wrapped": True, "own_uid": own_uid, "wrapper": words}


def _reduced(keep: Keep, directory: str, scratch: str | None) -> dict[str, Any]:
    if landlock_version() < 1:
        raise MissingToolError("there is no Landlock; take a kernel of 5.13 or newer, with landlock among its modules")
    read = [*map(str, system_trees()), *map(str, python_trees()), *_READABLE, directory]
    write = [*_WRITABLE, *([scratch] if scratch else []), *([str(keep.socket)] if keep.socket else [])]
    return {
        **_confined(keep),
        "landlock": {"read": read, "list": [str(root) for root in package_roots()], "write": write},
    }


def _inside(word: str, directory: str) -> str:
    """A word of a command as it is right in the sandbox, where the bot's files lie elsewhere."""
    if word == directory or word.startswith(f"{directory}/"):
        return str(BOT) + word[len(directory) :]
    return word


def _environment_inside(environment: Mapping[str, str], keep: Keep) -> dict[str, str]:
    own = {name: value for name, value in environment.items() if name.startswith(("ARENA_", "PYTHON"))}
    own |= {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(WORK),
        "TMPDIR": str(WORK),
        "LANG": "C.UTF-8",
        "PYTHONPATH": _python_path(str(BOT)),
        "ARENA_BOT_DIR": str(BOT),
    }
    if keep.socket is not None:
        own["ARENA_ADDRESS"] = f"unix:{SOCKET}"
    return own


def _environment_reduced(environment: Mapping[str, str], directory: str) -> dict[str, str]:
    home = environment.get("TMPDIR", "/tmp")
    return {**environment, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "PYTHONPATH": _python_path(directory)}


def _python_path(bot: str) -> str:
    return os.pathsep.join([bot, *map(str, import_roots())])
