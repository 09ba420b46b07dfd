"""Judges the trial of a sandbox by what it must have shown. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.hosting.sandbox.limits import WRAPPED_LEVELS


@dataclass(frozen=True, slots=True)
class SandboxCheck:
    """One thing that a sandbox must do, and whether it did."""

    name: str
    holds: bool
    found: str


_REFUSED = {"EPERM", "EACCES", "ENOENT", "EROFS", "EAFNOSUPPORT", "ENOSYS"}


def judge(level: str, said: Mapping[str, Any], processes: int, started_by: int, left: list[int]) -> list[SandboxCheck]:
    """Return the checks of a trial.

    `said` is what `inside/main.py` printed, `processes` the limit it was given, `started_by` our user id, and `left`
    are the processes that outlived the kill.
    """
    checks = [
        SandboxCheck(
            "the same interpreter",
            (said["version"], said["prefix"]) == (sys.version, sys.prefix),
            f"{said['version'].split()[0]} at {said['prefix']}, outside {sys.version.split()[0]} at {sys.prefix}",
        ),
        SandboxCheck(
            "the packages for bots can be read", set(said["packages"]) == {"done"}, ", ".join(said["packages"])
        ),
        _refused("files outside cannot be read", [said["outside"], said["passwords"]]),
        _refused("its code cannot be changed", [said["code"]]),
        SandboxCheck("its own directory can be written", said["work"] == "done", said["work"]),
        _refused("no network", said["sockets"]),
        SandboxCheck("the arena's socket is reached", said["referee"] == "done", said["referee"]),
        _refused("no namespaces, no tracing, no priorities", said["calls"]),
    ]
    if level in WRAPPED_LEVELS:
        own_user = started_by != 0 or said["uid"] != 0
        checks.append(SandboxCheck("it is not root", own_user, f"user {said['uid']}, started by {started_by}"))
        checks.append(_fork_limit(said, processes))
    checks.append(SandboxCheck("nothing is left after a kill", not left, f"{len(left)} processes left"))
    return checks


def _refused(name: str, outcomes: list[str]) -> SandboxCheck:
    return SandboxCheck(name, all(outcome in _REFUSED for outcome in outcomes), ", ".join(outcomes))


def _fork_limit(said: Mapping[str, Any], processes: int) -> SandboxCheck:
    holds = said["processes"] == processes and 1 <= said["forks"] < said["few"]
    found = f"{said['processes']} allowed, {said['forks']} started when it was {said['few']}"
    return SandboxCheck("a fork bomb is stopped", holds, found)
