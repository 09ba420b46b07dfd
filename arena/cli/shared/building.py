"""Builds a version that a command adds, and shows its author what the build command said where it failed."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import replace

import typer

from arena.cli.shared.cells import printable
from arena.cli.shared.errors import CliError
from arena.cli.shared.hosting_options import read_hosting
from arena.cli.shared.saying import say
from arena.hosting.builder.build import BuildFailure, build_here
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import StoredVersion
from engine.text import Text


def build_added(programs: StoredPrograms, stored: StoredVersion, has_owner: bool) -> None:
    """Build a version unless it is built already. Raise CliError if its build command fails, after showing its log."""
    programs = replace(programs, policy=read_hosting().policy)
    _announce(programs, stored, has_owner=has_owner)
    outcome = asyncio.run(build_here(programs, stored, has_owner=has_owner))
    if isinstance(outcome, BuildFailure):
        show_log(outcome)
        raise CliError(
            Text("command.not_added", "{name} was not added: {why}", name=stored.manifest.name, why=outcome.sentence)
        )


def show_log(failure: BuildFailure) -> None:
    """Print the end of what a build command said to stderr."""
    for line in failure.last_lines:
        typer.echo(f"| {printable(line)}", err=True)


def _announce(programs: StoredPrograms, stored: StoredVersion, *, has_owner: bool) -> None:
    command = shlex.join(stored.manifest.build)
    where = say("cli_shared.in_sandbox")
    if programs.sandbox_level(has_owner=has_owner) == NONE:
        where = say("cli_shared.without_sandbox")
    typer.echo(say("cli_shared.building", name=stored.manifest.name, command=printable(command), where=where), err=True)
