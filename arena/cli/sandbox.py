"""The options that say how bots are kept, what they mean for a run, and what `arena doctor` tells about sandboxes."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli import settings
from arena.cli.errors import MisuseError
from arena.hosting.sandbox.choice import SandboxPolicy
from arena.hosting.sandbox.keep import LEVELS, NONE

AUTO = "auto"

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


def read_policy(sandbox: str, allow_reduced: bool) -> SandboxPolicy:
    """What the options ask for. Raises MisuseError."""
    if sandbox not in (AUTO, *LEVELS):
        raise MisuseError(f"--sandbox {sandbox!r} is no level; use {AUTO}, {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
    return SandboxPolicy(None if sandbox == AUTO else sandbox, allow_reduced)


def describe_levels(levels: set[str]) -> str | None:
    """The line of warning that a run with bots at those levels opens with; None if nothing is to be said."""
    return UNCONFINED if NONE in levels else None
