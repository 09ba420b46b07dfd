"""The level and the limits of a bot process, and the choice of the level.

Strangers' bots run in a sandbox or not at all, one's own as one likes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.hosting.errors import SandboxUnavailableError
from engine.translatable import Text

if TYPE_CHECKING:  # what starts programs is imported when a level is tried, not by who asks where a bot lies
    from arena.hosting.sandbox.probe import Probe

STRICT, STANDARD, REDUCED, NONE = "strict", "standard", "reduced", "none"
LEVELS = (STRICT, STANDARD, REDUCED, NONE)
"""All levels, the strongest first."""
WRAPPED_LEVELS = (STRICT, STANDARD)
"""The levels with a sandbox of its own around each bot; `strict` has a control group besides."""
DEFAULT_MEMORY_MB = 512


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """The limits of one bot process with everything it starts. MB are MiB.

    `none` is a plain process of the arena's own user: the limits are watched, nothing is hidden from it.
    """

    level: str = NONE
    memory_mb: int = DEFAULT_MEMORY_MB
    """Resident memory of the whole tree, shared pages counted once."""
    socket: Path | None = None
    """The referee's socket, the only one that a sandboxed process reaches."""
    processes: int = 128
    """Processes and threads together."""
    disk_mb: int = 64
    """How much its private directories may hold."""
    files: int = 20_000
    """How many files these may hold."""
    open_files: int = 256
    """Descriptors of one process; not at `none`."""
    descriptors: int = 512
    """Descriptors of all its processes together, since a connection costs the referee one as well; not at `none`."""
    output_mb: int = 64
    """How much it may write to stdout and stderr at once; a sixteenth of that is added every second."""
    cpu_s: int = 86_400
    """Processor time of one process, a backstop for what no clock of a match sees; not at `none`."""

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"sandbox level {self.level!r}; there are {', '.join(LEVELS)}")


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """Which levels the user wants."""

    level: str | None = None
    """The level of every bot; None for the strongest that works where a bot has an owner, and `none` for one's own."""
    allow_reduced: bool = False
    """Whether `reduced` is good enough where nothing stronger works."""

    def __post_init__(self) -> None:
        if self.level not in (None, *LEVELS):
            raise ValueError(f"sandbox level {self.level!r}; there are {', '.join(LEVELS)}")


DEFAULT_POLICY = SandboxPolicy()
_WORKING: dict[tuple[str, str], Probe] = {}
"""The levels that were tried and work; a failure is not remembered, so that a remedy helps a service that runs."""


def find_level(*, has_owner: bool, policy: SandboxPolicy = DEFAULT_POLICY) -> str:
    """Return the level for a bot with or without an owner, after trying it on this machine.

    Raises SandboxUnavailableError, one line with the remedy, if there is none: never a weaker one than asked for.
    """
    if not has_owner and policy.level in (None, NONE):
        return NONE
    if policy.level == NONE:
        why = Text(
            "bots that have an owner run only in a sandbox; leave out `--sandbox none`, or add the bot "
            "without --owner if its code is your own"
        )
        raise SandboxUnavailableError(why)
    wanted = policy.level or strongest_level()
    if wanted == REDUCED and not policy.allow_reduced:
        why = Text("the reduced sandbox hides less; if that will do, add --allow-reduced-sandbox")
        raise SandboxUnavailableError(why)
    found = _probe(wanted)
    if found.works:
        return wanted
    if wanted == STANDARD and policy.allow_reduced and _probe(REDUCED).works:
        return REDUCED
    raise SandboxUnavailableError(_refusal(found, has_owner=has_owner))


def strongest_level() -> str:
    """Return the level that strangers' bots get, if it works: `strict` where it does, else `standard`."""
    return STRICT if _probe(STRICT).works else STANDARD


def _refusal(found: Probe, *, has_owner: bool) -> str:
    if has_owner:
        return Text(
            "bots that have an owner run only in a sandbox, and level {level} does not work here: {why}; {remedy}",
            level=found.level,
            why=found.problem,
            remedy=found.remedy,
        )
    return Text(
        "level {level} does not work here: {why}; {remedy}", level=found.level, why=found.problem, remedy=found.remedy
    )


def _probe(level: str) -> Probe:
    from arena.hosting.sandbox.probe import Probe, probe

    # PATH is part of the key, so that a tool which is installed meanwhile is found.
    key = level, os.environ.get("PATH", "")
    if key in _WORKING:
        return _WORKING[key]
    if level == REDUCED and os.geteuid() == 0:
        return Probe(
            level, (), Text("the reduced sandbox cannot confine root"), Text("run the arena as an ordinary user")
        )
    found = probe(level)
    if found.works:
        _WORKING[key] = found
    return found
