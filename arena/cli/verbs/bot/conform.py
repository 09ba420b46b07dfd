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
from arena.cli.shared.hosting import RuntimesFile, local_runtimes, notes_on_games, print_notes, show_log
from arena.cli.shared.interrupt import run_interruptibly
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_json
from arena.conform.rules import BY_ID, FLUSHES, NAMES, RULES, Offer, Rule, Transport
from arena.hosting.bot_languages import how_to_flush
from arena.hosting.builder.build import BuildFailure, prepare_copy
from arena.hosting.manifest import MANIFEST_NAME, BotManifest, read_manifest
from arena.hosting.manifest_fields import ALL_GAMES
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.limits import NONE, SandboxPolicy
from arena.hosting.user_directories import scratch_directory, sweep
from engine.os_errors import os_error_text
from engine.translatable import Text, placed

if TYPE_CHECKING:
    from arena.conform.checker import CheckedBot
    from arena.conform.judging import RuleVerdict
    from arena.conform.process import Command

app = typer.Typer()

_MOST_NAMED = 3
"""How many rules are named that were not checked; of more their number is told."""
_LIST = "`arena bot conform --list` shows all"


@app.command(
    epilog=example(
        "arena bot conform my-bot",
        "arena bot conform -- node my-bot/main.mjs",
        "arena bot conform --protocol lines -- ruby my-bot/main.rb",
        "arena bot conform --rule act-legal --rule little-time my-bot",
        "arena bot conform --list",
    )
)
def conform(
    context: typer.Context,
    command: Annotated[list[str] | None, typer.Argument(metavar="COMMAND...")] = None,
    rule: Annotated[list[str] | None, typer.Option("--rule", metavar="ID")] = None,
    list_rules: Annotated[bool, typer.Option("--list")] = False,
    protocol: Annotated[Offer | None, typer.Option("--protocol")] = None,
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
    checked = _check(_Request(command, rules, local_runtimes(runtimes), patience, protocol), as_json=as_json)
    verdicts = checked.verdicts
    broken = [verdict for verdict in verdicts if verdict.state == "broken"]
    if as_json:
        print_json([_json(verdict) for verdict in verdicts])
    else:
        _print_unchecked(verdicts)
        counts = Counter(verdict.state for verdict in verdicts)
        found = ", ".join(f"{count} {_state_text(state)}" for state, count in counts.items())
        typer.echo(f"{say('cli_bot.rules', count=len(verdicts))} ({translated(NAMES[checked.transport])}): {found}")
        if any(verdict.rule.id == FLUSHES for verdict in broken):
            typer.echo(translated(_how_to_flush(command)))
    if broken:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Request:
    words: Sequence[str]
    rules: Sequence[str]
    runtimes: RuntimeCatalog
    patience: float
    offer: Offer | None


def _check(request: _Request, *, as_json: bool) -> CheckedBot:
    from arena.conform.process import CommandError

    tell = _ignore if as_json else _print_verdict
    try:
        return run_interruptibly(partial(_run, request, tell), "run the command again to check the bot")
    except CommandError as error:
        raise MisuseError(str(error)) from None


async def _run(request: _Request, tell: Callable[[RuleVerdict], None]) -> CheckedBot:
    from arena.conform.checker import check_bot
    from arena.conform.dialogue import Patience
    from arena.conform.process import launcher_of

    command, offer, games = await _command(request)
    patience = Patience().times(request.patience)
    sweep()
    with scratch_directory() as directory:
        try:
            return await check_bot(
                launcher_of(command),
                directory,
                offer=offer,
                games=games,
                rules=request.rules,
                patience=patience,
                tell=tell,
            )
        except OSError as error:
            raise MisuseError(
                Text(
                    "{program} cannot be started: {why}; name another program",
                    program=repr(command.argv[0]),
                    why=os_error_text(error),
                )
            ) from error


async def _command(request: _Request) -> tuple[Command, Offer, Sequence[str]]:
    """Return how the bot is started that the request names, what it is offered, and its games if it does not join.

    One in a directory is copied, and built if it must be.
    """
    from arena.conform.process import Command, read_command

    directory = Path(request.words[0])
    if len(request.words) > 1 or not directory.is_dir():
        return read_command(request.words), request.offer or Offer.PROTOBUF, (ALL_GAMES,)
    prepared = await prepare_copy(directory, SandboxPolicy(NONE), request.runtimes)
    if isinstance(prepared, BuildFailure):
        show_log(prepared)
        raise CliError(Text("{directory} cannot be built: {why}", directory=directory, why=prepared.sentence))
    program = prepared.program
    print_notes(notes_on_games(program.games))
    command = Command(program.command, str(program.directory), program.trees, program.environment)
    return command, _offer(request.offer, directory, program.manifest), program.games


def _offer(asked: Offer | None, directory: Path, manifest: BotManifest) -> Offer:
    """Return what a bot with this manifest is offered. Raises MisuseError."""
    if asked is not None and (asked is Offer.LINES) != (manifest.protocol == Offer.LINES):
        why = Text(
            "protocol is {found}, and asked for is {asked}; leave out --protocol, or correct the file",
            found=repr(manifest.protocol),
            asked=repr(asked.value),
        )
        raise MisuseError(placed(directory / MANIFEST_NAME, why))
    return asked or Offer(manifest.protocol)


def _how_to_flush(words: Sequence[str]) -> Text:
    """Return how the bot that the words mean is to flush, in its language."""
    directory = Path(words[0])
    if len(words) == 1 and directory.is_dir():
        return how_to_flush(read_manifest(directory), directory)
    return how_to_flush(BotManifest("bot", tuple(words), (ALL_GAMES,)), Path.cwd())


def _ignore(_verdict: RuleVerdict) -> None:
    """Say nothing: the whole report follows."""


def _print_verdict(verdict: RuleVerdict) -> None:
    if verdict.state != "unchecked":  # all of these come at the end, if they still are
        _print_line(verdict.state, verdict.rule.id, verdict.message)


def _print_unchecked(verdicts: Sequence[RuleVerdict]) -> None:
    """Print one line for all rules that were not checked for the same reason."""
    reasons: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.state == "unchecked":
            reasons.setdefault(verdict.message, []).append(verdict.rule.id)
    for message, rules in reasons.items():
        few = ", ".join(rules) if len(rules) <= _MOST_NAMED else say("cli_bot.rules", count=len(rules))
        _print_line("unchecked", few, message)


def _print_line(state: str, rules: str, message: str) -> None:
    width = 1 + max(len(_state_text(one)) for one in ("kept", "broken", "unchecked", "not-applicable"))
    colon = ": " if message else ""
    typer.echo(printable(f"{_state_text(state):<{width}} {rules}{colon}{translated(message)}"))


def _state_text(state: str) -> str:
    return say(f"cli_bot.conform_{state.replace('-', '_')}")


def _print_rules(rules: Sequence[str], *, as_json: bool) -> None:
    chosen = [rule for rule in RULES if rule.id in rules]
    if as_json:
        print_json([{"rule": rule.id, "statement": rule.statement, "transports": rule.transports} for rule in chosen])
        return
    width = max(len(rule.id) for rule in chosen)
    for rule in chosen:
        typer.echo(f"{rule.id:<{width}}  {_scope(rule)}{translated(rule.statement)}")


def _scope(rule: Rule) -> str:
    """Return for which transports a rule is, if not for all."""
    if len(rule.transports) == len(Transport):
        return ""
    return f"({', '.join(translated(NAMES[one]) for one in rule.transports)}) "


def _json(verdict: RuleVerdict) -> dict[str, Any]:
    return {
        "rule": verdict.rule.id,
        "statement": verdict.rule.statement,
        "state": verdict.state.value,
        "message": verdict.message,
    }
