"""What the command `arena` consists of, and how a command line is run.

Only the noun that the command line names is imported, so that help comes at once and no command pays for another's
database.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, TextIO

import typer
import typer.main

from arena.cli.shared import errors, settings
from arena.cli.shared.options import Server, example, print_help_without_verb
from arena.cli.shared.places import was_written

NOUNS = {
    "demo": "Play a first rated tournament of every game.",
    "game": "The games that are installed.",
    "runtime": "What bots can run in, and what is in it.",
    "bot": "The bots of a database, and their versions.",
    "owner": "Who may hand bots in to a service.",
    "token": "What lets owners into a service: make, list, revoke.",
    "login": "Log in at a service, for commands with --server.",
    "logout": "Forget a login, or show which there are.",
    "match": "Single matches.",
    "tournament": "Tournaments: run, resume, look at, cancel.",
    "compare": "Find out whether one version is better than another.",
    "challenge": "Play a bot of yours against others, unrated.",
    "leaderboard": "Show the ratings of the bots.",
    "rating": "The official table; fair play; ratings computed anew.",
    "stats": "Crosstables, histories, results by opponent and seat.",
    "replay": "Matches as they were played: shown, and verified.",
    "report": "Write a tournament into one HTML file, with its replays.",
    "perft": "Count the sequences of decisions from the start of a game.",
    "db": "The database: upgrade, back up, check.",
    "ladder": "Standing ladders: open, close, look at.",
    "season": "The seasons of a ladder: freeze, decide, close, open.",
    "notice": "Show what you, and everybody, were told.",
    "web": "Show a database in browsers.",
    "serve": "Run a service that plays what is queued.",
    "home": "The directory of a service: back up, restore, retention.",
    "doctor": "Look whether this machine can run the arena.",
}
"""Every noun, with the line that stands in `arena --help`; its file is `arena/cli/nouns/<noun>.py`."""


HERE_ONLY = frozenset({"game", "login", "logout", "perft", "serve", "home"})
"""The nouns that look at no database, and so at no service in its place."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"kingmaker-arena {version('kingmaker-arena')}")
        raise typer.Exit


def _arena(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and end.")
    ] = False,
    server: Server = settings.SERVER.default,
) -> None:
    """Tournaments between game-playing programs: bots over gRPC, a trusted referee, TrueSkill ratings."""
    del version, server  # every command reads the server from this context
    _refuse_server_of_others(context)
    print_help_without_verb(context)


def _refuse_server_of_others(context: typer.Context) -> None:
    """Raise MisuseError if `--server` stands before a noun that works on this machine alone."""
    if context.invoked_subcommand in HERE_ONLY and was_written(context.get_parameter_source("server")):
        raise errors.MisuseError(
            f"`arena {context.invoked_subcommand}` works on this machine, not at a service; leave out --server"
        )


def make_app(nouns: Sequence[str] = tuple(NOUNS)) -> typer.Typer:
    """Return the command line: these nouns with all their verbs, the others only with their line in the help."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, epilog=example("arena demo", "arena leaderboard --db demo.db"))(_arena)
    for name, line in NOUNS.items():
        if name in nouns:
            _add_noun(app, name, line)
        else:
            app.add_typer(typer.Typer(), name=name, help=line)
    return app


def _add_noun(app: typer.Typer, name: str, line: str) -> None:
    noun: typer.Typer = importlib.import_module(f"arena.cli.nouns.{name}").app
    if _is_verb(noun):
        app.add_typer(noun)
        return
    noun.callback(invoke_without_command=True)(print_help_without_verb)
    app.add_typer(noun, name=name, help=line)


def _is_verb(noun: typer.Typer) -> bool:
    """Return whether a noun has no verbs: it is its own command, such as `arena demo`."""
    return len(noun.registered_commands) == 1 and not noun.registered_groups


def _noun_in(arguments: Sequence[str]) -> str:
    """Return the noun that a command line names, or an empty text if it names none."""
    words = iter(arguments)
    for word in words:
        if word == "--server":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def run(arguments: Sequence[str], when_ready: Callable[[], object] | None = None) -> int:
    """Do what a command line (without the program's name) says, and return the exit code.

    `when_ready` is called when everything is imported, before the command begins.
    """
    code = _run(arguments, when_ready)
    try:
        sys.stdout.flush()
    except OSError as error:
        _write_nothing_more(sys.stdout)
        if not code:  # otherwise something was said already
            code = errors.FAILED if error.errno == errno.EPIPE else errors.report(error)
    try:
        sys.stderr.flush()
    except OSError:
        _write_nothing_more(sys.stderr)
    return code


def _write_nothing_more(stream: TextIO) -> None:
    """Let what could not be written go nowhere, or the interpreter would try, and complain, once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@cache
def _parser(noun: str) -> Any:
    """Return what parses the command lines of a noun; a process that runs many has it made once."""
    return typer.main.get_command(make_app([noun]))


def _run(arguments: Sequence[str], when_ready: Callable[[], object] | None) -> int:
    noun = _noun_in(arguments)
    try:
        parser = _parser(noun)
        if when_ready is not None:
            when_ready()
        code = parser.main(args=list(arguments), prog_name="arena", standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else errors.FAILED
    except BaseException as error:
        return errors.report(error)
    if code == errors.INTERRUPTED:  # the parser turns Ctrl-C into this code, and says nothing
        return errors.report(KeyboardInterrupt())
    return code if isinstance(code, int) else 0
