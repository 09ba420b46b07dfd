"""Turns errors into one line on stderr and an exit code: 0 fine, 1 failed, 2 misuse, 130 interrupted.

    CliError        the command failed
    └── MisuseError the command line asks for something that does not exist or cannot be

Errors of the rest of the product have the exit code of their kind (`arena.model.errors.ErrorKind`), which is the same
whether the arena is here or a service. The line is in the language of this process; ARENA_DEBUG=1 shows the traceback
above it.

The parser of command lines raises English sentences. Which one it is, and what stands in it, is known from the class of
its errors and from what they hold, so it can be translated; a sentence that is not known stays as it is.
"""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from typing import Any

import typer
from typer._click.utils import _escape_control_characters

from arena.cli.shared import settings
from arena.cli.shared.cells import printable
from arena.cli.shared.language import translated
from arena.i18n.catalogue import validation_text
from arena.model.errors import ErrorKind, kind_of, there_is_no
from engine.os_errors import limit_error, os_error_at_place
from engine.translatable import Text, with_parts

FAILED = 1
MISUSE = 2
INTERRUPTED = 130
_PYDANTIC_PREFIX = "Value error, "
"""How the parser begins what it says of a word that is none of those that an option takes."""
EXIT_CODES = {
    ErrorKind.MISUSE: MISUSE,
    ErrorKind.NOT_FOUND: MISUSE,
    ErrorKind.DENIED: MISUSE,
    ErrorKind.UNAUTHENTICATED: FAILED,
    ErrorKind.CONFLICT: MISUSE,
    ErrorKind.FAILED: FAILED,
    ErrorKind.HIDDEN: FAILED,
    ErrorKind.LIMIT: FAILED,
    ErrorKind.FULL: FAILED,
    ErrorKind.UNAVAILABLE: FAILED,
    ErrorKind.DAMAGED: FAILED,
    ErrorKind.ABORTED: FAILED,
    ErrorKind.INTERNAL: FAILED,
}


def fault_of_the_arena(kind: str, why: str) -> Text:
    """Return the message for an exception that is a fault of the arena."""
    return Text(
        "{kind}: {why}; this is a fault of the arena; ARENA_DEBUG=1 shows the traceback for a report",
        kind=kind,
        why=why,
    )


class CliError(Exception):
    """The command failed; the message is one line that ends with the remedy."""

    exit_code = FAILED


class MisuseError(CliError):
    """The command line names something that does not exist, or asks for what cannot be."""

    exit_code = MISUSE


def unknown(kind: str, text: str, known: Sequence[str], remedy: str) -> MisuseError:
    """Return the error for a name that does not exist: it tells the nearest name that does, and where to look."""
    return MisuseError(there_is_no(kind, text, known, remedy))


def _code(error: BaseException) -> int | None:
    """Return the exit code of an error that a command may raise; `None` for a fault of the arena."""
    if isinstance(error, CliError):
        return error.exit_code
    if isinstance(error, OSError | MemoryError):
        return FAILED
    kind = kind_of(error)
    return None if kind is ErrorKind.INTERNAL else EXIT_CODES[kind]


def _one_line(text: str) -> str:
    return with_parts(text, lambda part: printable(" ".join(part.split())))


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return Text(
            "there is not enough memory; end other programs, or raise the limit (ulimit -v or -d, or of the container)"
        )
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        if error.filename:
            return Text(
                "there is no room left for {path}; free some space and run the command again", path=error.filename
            )
        return Text("there is no room left on the disk; free some space and run the command again")
    if isinstance(error, OSError) and (limit := limit_error(error.errno, error.filename or "a file")) is not None:
        return limit
    if isinstance(error, OSError) and error.strerror:
        return os_error_at_place(error)
    return str(error)


def one_line(error: Exception) -> str | None:
    """Return the English line for an error that a command may raise, or `None` for a fault of the arena."""
    return None if _code(error) is None else _one_line(_message(error))


def report(error: BaseException) -> int:
    """Write one line about an error to stderr, and return the exit code."""
    if settings.DEBUG.value != "0":
        _print_line("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        message = _one_line(usage_text(error))
        if context is None:
            _print_message(message)
        elif getattr(error, "option_name", "") == "--server":
            program, _, words = context.command_path.partition(" ")
            _print_message(
                Text(
                    "--server stands before the command, not behind it; write `{program} --server NAME {words}`",
                    program=program,
                    words=words,
                )
            )
        else:
            command = context.command_path
            _print_message(
                Text("{why} see `{command} --help`", why=message, command=command)
                if message.endswith("?")
                else Text("{why}; see `{command} --help`", why=message, command=command)
            )
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        _print_message(Text("interrupted"))
        return INTERRUPTED
    if _code(error) is None:
        error = _why_the_engine_fails() or error
    code = _code(error)
    if code is None:
        _print_message(fault_of_the_arena(type(error).__name__, _one_line(str(error))))
        return EXIT_CODES[ErrorKind.INTERNAL]
    _print_message(_one_line(_message(error)))
    return code


def _why_the_engine_fails() -> Exception | None:
    """Return what is wrong with a compiled engine, which can make anything fail that uses it; None if nothing is."""
    from engine.build_info import HalfBuiltError, look

    try:
        look()
    except HalfBuiltError as error:
        return error
    return None


def _print_message(sentence: str) -> None:
    """Print an English sentence to stderr, in the language of this process."""
    _print_line(f"arena: {translated(sentence)}")


def _print_line(text: str) -> None:
    """Print a line to stderr. If nothing can be written there, the exit code must do."""
    with suppress(OSError):
        typer.echo(text, file=sys.stderr)


def usage_text(error: typer.TyperException) -> str:
    """Return the message of the parser's error without its final full stop, as a text if it is known."""
    said = error.format_message()
    if isinstance(said, Text):
        return said
    said = said.rstrip(".").replace(_PYDANTIC_PREFIX, "", 1)
    return next((text for text in _texts_of(error) if text == said), said)


def put_texts(command: Any) -> None:
    """Make a command or group raise translatable texts for unknown commands and superfluous arguments."""
    if hasattr(command, "commands"):
        command.resolve_command = partial(_resolve, command, command.resolve_command)
    else:
        command.parse_args = partial(_parse, command.parse_args)


def _texts_of(error: Any) -> Iterator[Text]:
    if (option := getattr(error, "option_name", None)) is not None:
        name, shown = repr(option), _escape_control_characters(option)
        yield Text("No such option: {name}", name=shown)
        yield Text(
            "No such option: {name} (Possible options: {known})",
            name=shown,
            known=", ".join(sorted(getattr(error, "possibilities", None) or ())),
        )
        yield Text("Option {name} does not take a value", name=name)
        yield Text("Option {name} requires an argument", name=name)
    if (parameter := getattr(error, "param", None)) is not None:
        hint = parameter.get_error_hint()
        yield Text("Missing option {name}", name=hint)
        yield Text("Missing argument {name}", name=hint)
        yield Text("Invalid value for {name}: {why}", name=hint, why=_why(error))
    yield Text("Missing command")


def _why(error: Any) -> str:
    listed = getattr(error.__cause__, "errors", None)
    text = validation_text(listed()[0]) if callable(listed) else error.message
    return text if isinstance(text, Text) else str(error.message).rstrip(".").removeprefix(_PYDANTIC_PREFIX)


def _resolve(
    group: Any, resolve: Callable[[typer.Context, list[str]], Any], context: typer.Context, words: list[str]
) -> Any:
    try:
        return resolve(context, words)
    except typer.TyperException as error:
        said: Any = error
        texts = (text for text in _no_command(group, words) if said.message in (text, f"{text}."))
        said.message = next(texts, said.message)
        raise


def _no_command(group: Any, words: Sequence[str]) -> Iterator[Text]:
    name = repr(words[0])
    yield Text("No such command {name}", name=name)
    yield Text(
        "No such command {name}. Did you mean {guess}?",
        name=name,
        guess=", ".join(map(repr, get_close_matches(words[0], list(group.commands)))),
    )


def _parse(parse: Callable[[typer.Context, list[str]], list[str]], context: typer.Context, words: list[str]) -> Any:
    may_have_more, context.allow_extra_args = context.allow_extra_args, True
    try:
        rest = parse(context, words)
    finally:
        context.allow_extra_args = may_have_more
    if rest and not may_have_more and not context.resilient_parsing:
        context.fail(
            Text("Got unexpected extra argument(s) ({words})", words=" ".join(map(_escape_control_characters, rest)))
        )
    return rest
