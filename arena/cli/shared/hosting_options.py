"""The options that say how bots are kept, what they mean for a run, and what `arena doctor` tells about sandboxes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.limits import LEVELS, NONE, REDUCED, STANDARD
from arena.hosting.sandbox.probe import Probe, probe

AUTO = "auto"
OK, FAILED, NOTE = "ok", "FAILED", "note"
STRICT = "strict"

Sandbox = Annotated[
    str,
    typer.Option(
        "--sandbox",
        envvar=settings.SANDBOX.variable,
        metavar="LEVEL",
        help="auto: bots of an owner in a sandbox, your own not; standard keeps your own there, too.",
    ),
]
AllowReduced = Annotated[
    bool,
    typer.Option("--allow-reduced-sandbox", help="Let the weaker sandbox do where the standard one does not work."),
]

UNCONFINED = (
    "note: bots run as processes of your user, without a sandbox: run only those whose code you trust, or add "
    "--sandbox standard"
)


def read_policy(sandbox: str, *, allow_reduced: bool = False) -> SandboxPolicy:
    """What the options ask for. Raises MisuseError."""
    if sandbox not in (AUTO, *LEVELS):
        raise MisuseError(f"--sandbox {sandbox!r} is no level; use {AUTO}, {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
    return SandboxPolicy(None if sandbox == AUTO else sandbox, allow_reduced)


def describe_levels(levels: set[str]) -> str | None:
    """The line of warning that a run with bots at those levels opens with; None if nothing is to be said."""
    return UNCONFINED if NONE in levels else None


def sandbox_lines() -> Iterator[tuple[str, str, str, str]]:
    """What `arena doctor` says of sandboxes: check, state, what was found, what is to be done. Tries every level anew.

    A missing sandbox is a note, not a failure: one's own bots play without.
    """
    standard, reduced = probe(STANDARD, remembered=False), _probe_reduced()
    yield from _lines_of(standard, "strangers' bots can play")
    yield from _lines_of(reduced, "strangers' bots can play with --allow-reduced-sandbox")
    yield (f"sandbox {STRICT}", NOTE, "not built: it needs cgroup v2, this version has none", f"use {STANDARD}")
    best = next((found.level for found in (standard, reduced) if found.works), NONE)
    detail = f"the strongest level that works here is {best}"
    if best == STANDARD:
        yield ("sandbox", OK, detail, "")
    else:
        yield ("sandbox", NOTE, f"{detail}; bots that have an owner are refused", standard.remedy)


def _probe_reduced() -> Probe:
    if os.geteuid() == 0:
        return Probe(REDUCED, (), "cannot confine root", "run the arena as an ordinary user, or use standard")
    return probe(REDUCED, remembered=False)


def _lines_of(found: Probe, meaning: str) -> Iterator[tuple[str, str, str, str]]:
    name = f"sandbox {found.level}"
    for check in found.checks:
        yield (f"{name}: {check.name}", OK if check.holds else NOTE, check.found, "" if check.holds else found.remedy)
    if found.works:
        yield (name, OK, meaning, "")
    else:
        yield (name, NOTE, found.problem, found.remedy)
