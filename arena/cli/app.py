"""What the command `arena` consists of, and how a command line is run.

Only the noun and the verb that the command line names are imported, so that help comes at once and no command pays
for what another needs.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache
from importlib import import_module
from typing import Annotated, Any, TextIO

import typer
import typer.main
from typer.models import CommandInfo

from arena.cli.help_translation import put_help
from arena.cli.shared import errors, settings
from arena.cli.shared.connect import was_written
from arena.cli.shared.language import has_language, process_language, take_language, use_language
from arena.cli.shared.options import Language, Server, add_forms, example, print_help_without_verb
from arena.cli.shared.output import Style
from arena.cli.shared.terminal import escaped_streams, fit_encodings
from arena.i18n.catalogue import LANGUAGES
from engine.translatable import Text

NOUNS = (
    "demo",
    "game",
    "runtime",
    "bot",
    "owner",
    "token",
    "login",
    "logout",
    "match",
    "tournament",
    "compare",
    "challenge",
    "leaderboard",
    "rating",
    "stats",
    "replay",
    "report",
    "verify",
    "perft",
    "db",
    "ladder",
    "season",
    "notice",
    "web",
    "serve",
    "home",
    "cluster",
    "doctor",
)
"""Every noun, as `arena --help` lists them; its file is `arena/cli/nouns/<noun>.py`."""
HERE_ONLY = frozenset({"game", "login", "logout", "verify", "perft", "serve", "home", "cluster"})
"""The nouns that look at no database, and so at no service in its place."""
_FOR_PROGRAMS = {f"--{style.value}" for style in Style if style is not Style.PEOPLE}


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"kingmaker-arena {version('kingmaker-arena')}")
        raise typer.Exit


def _arena(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
    language: Language = settings.LANG.default,
    server: Server = settings.SERVER.default,
) -> None:
    """Tournaments between game-playing programs: bots over gRPC, a trusted referee, TrueSkill ratings."""
    del version, language, server  # every command reads the server from this context; the language was taken before
    if context.invoked_subcommand in HERE_ONLY and was_written(context.get_parameter_source("server")):
        raise errors.MisuseError(
            Text(
                "`arena {words}` works on this machine, not at a service; leave out --server",
                words=context.invoked_subcommand,
            )
        )
    print_help_without_verb(context)


def make_parser(nouns: Sequence[str] = NOUNS, verb: str | None = None) -> Any:
    """Return what parses command lines: these nouns with all their verbs, the others only with their line in the help.

    With `verb` only that one can be called, and the others of the nouns have only their line. The help is in the
    language of the process.
    """
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, epilog=example("arena demo", "arena leaderboard --db demo.db"))(_arena)
    for name in NOUNS:
        if name in nouns:
            _add_noun(app, name, verb)
        else:
            app.add_typer(typer.Typer(), name=name)
    parser = typer.main.get_command(app)
    add_forms(parser)
    put_help(parser)
    return parser


def _add_noun(app: typer.Typer, name: str, verb: str | None) -> None:
    """Add a noun with its verbs, of which only `verb` need be callable; all of them if that is `None`.

    `VERBS` of the noun names the verbs in the order of the help. Each has its file in `arena/cli/verbs/<noun>`, or
    `None` if it is in the noun's own. Only the file of the called verb is imported: looking at something does not
    import what plays.
    """
    module = import_module(f"arena.cli.nouns.{name}")
    files: Mapping[str, str | None] = getattr(module, "VERBS", {})
    noun: typer.Typer = copy(module.app)  # the file's own one stays as it is, for the next parser
    noun.registered_commands = [one for one in noun.registered_commands if _name_of(one) not in files]
    noun.registered_groups = list(noun.registered_groups)
    for called, file in files.items():
        if file is None:
            found = module.app
        elif verb in (None, called):
            found = import_module(f"arena.cli.verbs.{name}.{file}").app
        else:
            found = typer.Typer()
            found.command(called)(_nothing)
        one = typer.Typer()
        one.registered_commands = [command for command in found.registered_commands if _name_of(command) == called]
        one.registered_groups = [group for group in found.registered_groups if group.name == called]
        noun.add_typer(one)
    if len(noun.registered_commands) == 1 and not noun.registered_groups:
        app.add_typer(noun)  # it has no verbs and is its own command, such as `arena demo`
        return
    noun.callback(invoke_without_command=True)(print_help_without_verb)
    app.add_typer(noun, name=name)


def _name_of(command: CommandInfo) -> str | None:
    return command.name or getattr(command.callback, "__name__", None)


def _nothing() -> None:
    """Stand for a verb that was not called."""


def _noun_and_verb_in(arguments: Sequence[str]) -> tuple[str, str]:
    """Return the noun that a command line names and its verb; each is an empty text if it names none."""
    words = iter(arguments)
    noun = ""
    for word in words:
        if word == "--server" and not noun:
            next(words, None)
        elif not word.startswith("-"):
            if noun:
                return noun, word
            noun = word
    return noun, ""


def run(arguments: Sequence[str], when_ready: Callable[[], object] | None = None) -> int:
    """Do what a command line (without the program's name) says, and return the exit code.

    `when_ready` is called when everything is imported, before the command begins.
    """
    fit_encodings(is_for_programs=not _FOR_PROGRAMS.isdisjoint(arguments))
    language, rest = take_language(arguments)
    with use_language(language if has_language(language) else None):
        return (
            _run_and_flush(rest, when_ready) if has_language(language) else errors.report(_unknown_language(language))
        )


def _unknown_language(language: str | None) -> errors.MisuseError:
    return errors.MisuseError(
        Text(
            "there is no language {language}; --lang takes {known}", language=repr(language), known=", ".join(LANGUAGES)
        )
    )


def _run_and_flush(arguments: Sequence[str], when_ready: Callable[[], object] | None) -> int:
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
def _parser(noun: str, verb: str, _language: str) -> Any:
    """Return what parses the command lines of a verb; a process that runs many has it made once in each language."""
    return make_parser([noun], verb)


def _run(arguments: Sequence[str], when_ready: Callable[[], object] | None) -> int:
    noun, verb = _noun_and_verb_in(arguments)
    try:
        parser = _parser(noun, verb, process_language())
        if when_ready is not None:
            when_ready()
        with escaped_streams():
            code = parser.main(args=list(arguments), prog_name="arena", standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else errors.FAILED
    except BaseException as error:
        return errors.report(error)
    if code == errors.INTERRUPTED:  # the parser turns Ctrl-C into this code, and says nothing
        return errors.report(KeyboardInterrupt())
    return code if isinstance(code, int) else 0
