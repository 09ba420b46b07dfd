"""How bots are hosted on this machine: the options for it, the runtimes it has, and building a bot that is added."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import printable
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import Workers
from arena.hosting.manifest_fields import ALL_GAMES
from arena.hosting.sandbox.limits import LEVELS, NONE, SandboxPolicy
from engine import registry
from engine.translatable import Text, nearest

if TYPE_CHECKING:  # what starts and builds bots is imported by those who do so here
    from arena.hosting.builder.build import BuildFailure
    from arena.hosting.runtimes.catalog import RuntimeCatalog
    from arena.hosting.sandbox.stored_programs import StoredPrograms
    from arena.hosting.store import StoredVersion


AUTO = "auto"

Sandbox = Annotated[str, typer.Option("--sandbox", envvar=settings.SANDBOX.variable, metavar="LEVEL")]
AllowReduced = Annotated[bool, typer.Option("--allow-reduced-sandbox")]
LeakChecks = Annotated[str, typer.Option("--leak-checks", envvar=settings.LEAK_CHECKS.variable, metavar="PART")]
WarmMemory = Annotated[str, typer.Option("--warm-memory", envvar=settings.WARM_MEMORY.variable, metavar="MB")]
ExecutorName = Annotated[str, typer.Option("--executor", envvar=settings.EXECUTOR.variable, metavar="local|ray")]
Address = Annotated[str, typer.Option("--address", envvar=settings.RAY_ADDRESS.variable, metavar="HOST:PORT")]

LOCAL, RAY = "local", "ray"
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)%?", re.ASCII)
_MEGABYTES = re.compile(r"\d{1,9}", re.ASCII)
RuntimesFile = Annotated[str, typer.Option("--runtimes", envvar=settings.RUNTIMES.variable, metavar="FILE")]


@dataclass(frozen=True, slots=True)
class HostingOptions:
    """How many matches are played at once, and how their bots are confined, kept warm and checked."""

    workers: int
    """0 stands for one worker for each core."""
    policy: SandboxPolicy
    leak_checks: float
    """The share of the matches that are checked, 0 to 1."""
    warm_mb: int | None
    """The memory for idle bots, or `None` for a share of the machine's."""
    executor: str = LOCAL
    """Where matches are played: LOCAL or RAY."""
    address: str = AUTO
    """The head of the cluster, if there is one."""

    @property
    def place(self) -> tuple[str, ...]:
        """Return the words of a command line that say where matches are played, unless the settings do."""
        executor = ("--executor", self.executor) if self.executor != settings.EXECUTOR.value else ()
        return (*executor, "--address", self.address) if self.address != settings.RAY_ADDRESS.value else executor


@dataclass(frozen=True, slots=True, kw_only=True)
class HostingArguments:
    """The options that say where matches are played, and how bots are confined; `read` understands them."""

    workers: Workers = 0
    executor: ExecutorName = settings.EXECUTOR.default
    address: Address = settings.RAY_ADDRESS.default
    sandbox: Sandbox = settings.SANDBOX.default
    allow_reduced: AllowReduced = False

    def read(self, *, leak_checks: str = "", warm_memory: str = "") -> HostingOptions:
        """Return what the options ask for. Raise MisuseError."""
        return read_hosting(
            workers=self.workers,
            sandbox=self.sandbox,
            allow_reduced=self.allow_reduced,
            leak_checks=leak_checks,
            warm_memory=warm_memory,
            executor=self.executor,
            address=self.address,
        )


def read_hosting(
    *,
    workers: int = 0,
    sandbox: str = "",
    allow_reduced: bool = False,
    leak_checks: str = "",
    warm_memory: str = "",
    executor: str = "",
    address: str = "",
) -> HostingOptions:
    """Return what the options ask for; the settings decide where a text is empty. Raise MisuseError."""
    executor = executor or settings.EXECUTOR.value
    if executor not in (LOCAL, RAY):
        raise MisuseError(
            Text("--executor {name} is none; use {first} or {second}", name=repr(executor), first=LOCAL, second=RAY)
        )
    address = address or settings.RAY_ADDRESS.value
    if executor == RAY:
        from arena.executor.interface import ExecutorFailedError  # only who asks for a cluster needs what is behind it
        from arena.executor.ray.head_address import check_address

        try:
            check_address(address)
        except ExecutorFailedError as error:
            raise MisuseError(str(error)) from error
    if executor == LOCAL and address != AUTO and not settings.RAY_ADDRESS.is_set:
        raise MisuseError(
            Text("--address names a cluster, and matches are played here; add --executor {name}", name=RAY)
        )
    text = leak_checks or settings.LEAK_CHECKS.value
    found = _PERCENT.fullmatch(text)
    if found is None or float(found[1]) > 100:
        raise MisuseError(
            Text("--leak-checks {text} is no part of all matches; write for example --leak-checks 5%", text=repr(text))
        )
    return HostingOptions(
        workers=workers,
        policy=_read_policy(sandbox or settings.SANDBOX.value, allow_reduced=allow_reduced),
        leak_checks=float(found[1]) / 100,
        warm_mb=_parse_warm_memory(warm_memory or settings.WARM_MEMORY.value),
        executor=executor,
        address=address,
    )


def _read_policy(sandbox: str, *, allow_reduced: bool) -> SandboxPolicy:
    if sandbox not in (AUTO, *LEVELS):
        raise MisuseError(
            Text(
                "--sandbox {text} is no level; use {auto}, {levels} or {last}",
                text=repr(sandbox),
                auto=AUTO,
                levels=", ".join(LEVELS[:-1]),
                last=LEVELS[-1],
            )
        )
    return SandboxPolicy(None if sandbox == AUTO else sandbox, allow_reduced)


def _parse_warm_memory(text: str) -> int | None:
    """Return a number of megabytes, or `None` for `auto`. Raise MisuseError for anything else."""
    if text == AUTO:
        return None
    if not _MEGABYTES.fullmatch(text):
        raise MisuseError(
            Text(
                "--warm-memory {text} is no number of megabytes; write for example --warm-memory 2000", text=repr(text)
            )
        )
    return int(text)


def local_runtimes(file: str = "") -> RuntimeCatalog:
    """Return the runtimes that a file defines, or that of the setting if it is empty. Raise RuntimeSettingsError.

    Node.js counts as installed wherever PATH leads to it: authors have it in their home directory, too.
    """
    from arena.hosting.runtimes.catalog import NO_RUNTIMES, RuntimeCatalog
    from arena.hosting.runtimes.runtime import SYSTEM_PATH, read_runtimes

    place = file or settings.RUNTIMES.value
    defined = NO_RUNTIMES if place == settings.NO_FILE else read_runtimes(Path(place))
    own_places = [place for place in os.get_exec_path() if Path(place).is_absolute()]
    return RuntimeCatalog(defined, path=os.pathsep.join((SYSTEM_PATH, *own_places)))


def build_added(programs: StoredPrograms, stored: StoredVersion, has_owner: bool) -> None:
    """Build a version unless it is built already. Raise CliError if its build command fails, after showing its log."""
    import asyncio

    from arena.hosting.builder.build import BuildFailure, build_here

    programs = replace(programs, policy=read_hosting().policy)
    command = shlex.join(stored.manifest.build)
    where = say("cli_shared.in_sandbox")
    if programs.sandbox_level(has_owner=has_owner) == NONE:
        where = say("cli_shared.without_sandbox")
    typer.echo(say("cli_shared.building", name=stored.manifest.name, command=printable(command), where=where), err=True)
    outcome = asyncio.run(build_here(programs, stored, has_owner=has_owner))
    if isinstance(outcome, BuildFailure):
        show_log(outcome)
        raise CliError(Text("{name} was not added: {why}", name=stored.manifest.name, why=outcome.sentence))


def show_log(failure: BuildFailure) -> None:
    """Print the end of what a build command said to stderr."""
    for line in failure.last_lines:
        typer.echo(f"| {printable(line)}", err=True)


def notes_on_games(games: Sequence[str]) -> list[Text]:
    """Return a sentence for each of the games of a bot that is not installed here; other arenas may have it."""
    installed = registry.names()
    notes = []
    for game in games:
        if game == ALL_GAMES or game in installed or registry.family_of(game) is not None:
            continue
        if (near := nearest(game, installed)) is not None:
            remedy = Text("did you mean {name}?", name=repr(near))
        else:
            remedy = Text("`arena game list` shows those that are")
        notes.append(
            Text(
                "games in bot.toml names {game}, which is not installed here; {remedy}", game=repr(game), remedy=remedy
            )
        )
    return notes


def print_notes(notes: Sequence[str]) -> None:
    """Print on stderr what the author of a bot should know."""
    for note in notes:
        typer.echo(say("cli_bot.note", text=printable(translated(note))), err=True)
