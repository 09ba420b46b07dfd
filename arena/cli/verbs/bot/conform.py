"""`arena bot conform`: does a bot keep the protocol? The arena's side is scripted, and each rule is looked at alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import printable
from arena.cli.shared.connect import refuse_server
from arena.cli.shared.errors import CliError, MisuseError, unknown
from arena.cli.shared.hosting import RuntimesFile, local_runtimes, show_log
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_json
from arena.conform.rules import BY_ID, RULES
from arena.hosting.builder.build import BuildFailure, prepare_copy
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import NONE, SandboxPolicy
from arena.hosting.user_directories import scratch_directory, sweep
from engine.os_errors import os_error_text
from engine.translatable import Text

if TYPE_CHECKING:
    from arena.conform.judging import RuleVerdict
    from arena.conform.process import Command

app = typer.Typer()

_LIST = "`arena bot conform --list` shows all"


@app.command(
    epilog=example(
        "arena bot conform my-bot",
        "arena bot conform -- node my-bot/main.mjs",
        "arena bot conform --rule act-legal --rule little-time my-bot",
        "arena bot conform --list",
    )
)
def conform(
    context: typer.Context,
    command: Annotated[list[str] | None, typer.Argument(metavar="COMMAND...")] = None,
    rule: Annotated[list[str] | None, typer.Option("--rule", metavar="ID")] = None,
    list_rules: Annotated[bool, typer.Option("--list")] = False,
    patience: Annotated[float, typer.Option(min=1, max=100, metavar="FACTOR")] = 1,
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    as_json: AsJson = False,
) -> None:
    """Check whether a bot follows every rule of the protocol."""
    refuse_server(context)
    rules = list(rule or ())
    for one in rules:
        if one not in BY_ID:
            raise unknown("rule", one, list(BY_ID), _LIST)
    if list_rules:
        _print_rules(rules or list(BY_ID), as_json=as_json)
        return
    if not command:
        raise MisuseError(
            Text("nothing to check; name a directory with bot.toml, or write -- and the command of the bot")
        )
    verdicts = _check(_Request(command, rules, local_runtimes(runtimes), patience), as_json=as_json)
    broken = [verdict for verdict in verdicts if verdict.state == "broken"]
    if as_json:
        print_json([_json(verdict) for verdict in verdicts])
    else:
        counts = Counter(verdict.state for verdict in verdicts)
        found = ", ".join(f"{count} {_state_text(state)}" for state, count in counts.items())
        typer.echo(f"{say('cli_bot.rules', count=len(verdicts))}: {found}")
    if broken:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Request:
    words: Sequence[str]
    rules: Sequence[str]
    runtimes: RuntimeCatalog
    patience: float


def _check(request: _Request, *, as_json: bool) -> list[RuleVerdict]:
    from arena.conform.process import CommandError

    tell = _ignore if as_json else _print_verdict
    try:
        return run_interruptibly(partial(_run, request, tell), "run the command again to check the bot")
    except CommandError as error:
        raise MisuseError(str(error)) from None


async def _run(request: _Request, tell: Callable[[RuleVerdict], None]) -> list[RuleVerdict]:
    from arena.conform.checker import check_bot
    from arena.conform.dialogue import Patience
    from arena.conform.process import launcher_of

    command = await _command(request.words, request.runtimes)
    patience = Patience().times(request.patience)
    sweep()
    with scratch_directory() as directory:
        try:
            return await check_bot(launcher_of(command), directory, rules=request.rules, patience=patience, tell=tell)
        except OSError as error:
            raise MisuseError(
                Text(
                    "{program} cannot be started: {why}; name another program",
                    program=repr(command.argv[0]),
                    why=os_error_text(error),
                )
            ) from error


async def _command(words: Sequence[str], runtimes: RuntimeCatalog) -> Command:
    """Return how the bot is started that the words mean; one in a directory is copied, and built if it must be."""
    from arena.conform.process import Command, read_command

    directory = Path(words[0])
    if len(words) > 1 or not directory.is_dir():
        return read_command(words)
    prepared = await prepare_copy(directory, SandboxPolicy(NONE), runtimes)
    if isinstance(prepared, BuildFailure):
        show_log(prepared)
        raise CliError(Text("{directory} cannot be built: {why}", directory=directory, why=prepared.sentence))
    program = prepared.program
    return Command(program.command, str(program.directory), program.trees, program.environment)


def _ignore(_verdict: RuleVerdict) -> None:
    """Say nothing: the whole report follows."""


def _print_verdict(verdict: RuleVerdict) -> None:
    width = 1 + max(len(_state_text(state)) for state in ("kept", "broken", "unchecked", "not-applicable"))
    colon = ": " if verdict.message else ""
    typer.echo(
        printable(f"{_state_text(verdict.state):<{width}} {verdict.rule.id}{colon}{translated(verdict.message)}")
    )


def _state_text(state: str) -> str:
    return say(f"cli_bot.conform_{state.replace('-', '_')}")


def _print_rules(rules: Sequence[str], *, as_json: bool) -> None:
    chosen = [rule for rule in RULES if rule.id in rules]
    if as_json:
        print_json([{"rule": rule.id, "statement": rule.statement} for rule in chosen])
        return
    width = max(len(rule.id) for rule in chosen)
    for rule in chosen:
        typer.echo(f"{rule.id:<{width}}  {translated(rule.statement)}")


def _json(verdict: RuleVerdict) -> dict[str, Any]:
    return {
        "rule": verdict.rule.id,
        "statement": verdict.rule.statement,
        "state": verdict.state.value,
        "message": verdict.message,
    }
