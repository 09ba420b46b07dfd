"""Judges the trial of a sandbox by what it must have shown. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.hosting.sandbox.limits import WRAPPED_LEVELS
from engine.text import Text


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
            Text("hosting.same_interpreter", "the same interpreter"),
            (said["version"], said["prefix"]) == (sys.version, sys.prefix),
            Text(
                "hosting.at_outside_at",
                "{version} at {path}, outside {own} at {own_path}",
                version=said["version"].split()[0],
                path=said["prefix"],
                own=sys.version.split()[0],
                own_path=sys.prefix,
            ),
        ),
        SandboxCheck(
            Text("hosting.packages_bots_can_read", "the packages for bots can be read"),
            set(said["packages"]) == {"done"},
            ", ".join(said["packages"]),
        ),
        _refused(
            Text("hosting.files_outside_cannot_read", "files outside cannot be read"),
            [said["outside"], said["passwords"]],
        ),
        _refused(Text("hosting.code_cannot_changed", "its code cannot be changed"), [said["code"]]),
        SandboxCheck(
            Text("hosting.own_directory_can_written", "its own directory can be written"),
            said["work"] == "done",
            said["work"],
        ),
        _refused(Text("hosting.no_network", "no network"), said["sockets"]),
        SandboxCheck(
            Text("hosting.arena_socket_reached", "the arena's socket is reached"),
            said["referee"] == "done",
            said["referee"],
        ),
        _refused(
            Text("hosting.no_namespaces_no_tracing_no", "no namespaces, no tracing, no priorities"), said["calls"]
        ),
    ]
    if level in WRAPPED_LEVELS:
        checks += [_own_user(said["uid"], started_by), _fork_limit(said, processes)]
    checks.append(
        SandboxCheck(
            Text("hosting.nothing_left_after_kill", "nothing is left after a kill"),
            not left,
            Text("hosting.processes_left", "{number} processes left", number=len(left)),
        )
    )
    return checks


def _own_user(user: int, started_by: int) -> SandboxCheck:
    return SandboxCheck(
        Text("hosting.not_root", "it is not root"),
        started_by != 0 or user != 0,
        Text("hosting.user_started", "user {user}, started by {starter}", user=user, starter=started_by),
    )


def _refused(name: str, outcomes: list[str]) -> SandboxCheck:
    return SandboxCheck(name, all(outcome in _REFUSED for outcome in outcomes), ", ".join(outcomes))


def _fork_limit(said: Mapping[str, Any], processes: int) -> SandboxCheck:
    holds = said["processes"] == processes and 1 <= said["forks"] < said["few"]
    found = Text(
        "hosting.allowed_started_when",
        "{allowed} allowed, {started} started when it was {few}",
        allowed=said["processes"],
        started=said["forks"],
        few=said["few"],
    )
    return SandboxCheck(Text("hosting.fork_bomb_stopped", "a fork bomb is stopped"), holds, found)
