"""The one place that turns errors into exit codes: 0 fine, 1 failed, 2 misuse, 130 interrupted.

    CliError        the command failed
    └── MisuseError the command line asks for something that does not exist or cannot be

Errors of the rest of the product have the exit code of their kind (`arena.model.errors.ErrorKind`), which is the same
whether the arena is here or a service.

Whatever a command raises becomes one line on stderr, in the language of this process; ARENA_DEBUG=1 shows the
traceback above it.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Sequence
from contextlib import suppress

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import printable
from arena.cli.shared.usage import usage_text
from arena.i18n.catalogue import language_of_process, translate
from arena.model.errors import ErrorKind, kind_of, there_is_no
from engine.os_errors import os_error_at_place
from engine.text import Text, with_parts

FAILED = 1
MISUSE = 2
INTERRUPTED = 130


def fault_of_the_arena(kind: str, why: str) -> Text:
    """Return what is said of an exception that nobody foresaw."""
    return Text(
        "command.fault_arena_arena_debug_1",
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


def unknown(kind: str, text: str, known: Sequence[str], remedy: str) -> MisuseError:
    """Return the error for a name that does not exist: it tells the nearest name that does, and where to look."""
    return MisuseError(there_is_no(kind, text, known, remedy))


def _code(error: BaseException) -> int | None:
    """Return the exit code of an error that a command may raise; `None` for a fault of the arena."""
    if isinstance(error, CliError):
        return error.exit_code
    if isinstance(error, OSError):
        return FAILED
    kind = kind_of(error)
    return None if kind is ErrorKind.INTERNAL else EXIT_CODES[kind]


def _one_line(text: str) -> str:
    return with_parts(text, lambda part: printable(" ".join(part.split())))


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        if error.filename:
            return Text(
                "command.no_room_left_free_some",
                "there is no room left for {path}; free some space and run the command again",
                path=error.filename,
            )
        return Text(
            "command.no_room_left_disk_free",
            "there is no room left on the disk; free some space and run the command again",
        )
    if isinstance(error, OSError) and error.strerror:
        return os_error_at_place(error)
    return str(error)


def one_line(error: Exception) -> str | None:
    """Return the line, in English, that an error becomes which a command may raise; `None` for a fault of the arena."""
    return None if _code(error) is None else _one_line(_message(error))


def report(error: BaseException) -> int:
    """Say on stderr, in one line, what went wrong, and return the exit code."""
    if settings.DEBUG.value != "0":
        _say("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, typer.TyperException):
        return _report_usage(error)
    if isinstance(error, KeyboardInterrupt):
        _say(_told(Text("command.interrupted", "interrupted")))
        return INTERRUPTED
    if _code(error) is None:
        error = _why_the_engine_fails() or error
    code = _code(error)
    if code is None:
        kind = type(error).__name__
        _say(_told(fault_of_the_arena(kind, _one_line(str(error)))))
        return EXIT_CODES[ErrorKind.INTERNAL]
    _say(_told(_one_line(_message(error))))
    return code


def _why_the_engine_fails() -> Exception | None:
    """Return what is wrong with a compiled engine, which can make anything fail that uses it; None if nothing is."""
    from engine.compiled import HalfBuiltError, look

    try:
        look()
    except HalfBuiltError as error:
        return error
    return None


def _told(sentence: str) -> str:
    """Return the line that tells a person an English sentence, in the language of this process."""
    return f"arena: {translate(sentence, language_of_process(os.environ))}"


def _say(text: str) -> None:
    """Write a line on stderr; where that cannot be written to either, the exit code must do."""
    with suppress(OSError):
        typer.echo(text, err=True)


def _report_usage(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    message = _one_line(usage_text(error))
    if context is None:
        _say(_told(message))
    elif getattr(error, "option_name", "") == "--server":
        _say(_told(_server_goes_first(context.command_path)))
    else:
        command = context.command_path
        _say(
            _told(
                Text("command.see_help_after_question", "{why} see `{command} --help`", why=message, command=command)
                if message.endswith("?")
                else Text("command.see_help", "{why}; see `{command} --help`", why=message, command=command)
            )
        )
    return error.exit_code


def _server_goes_first(command: str) -> str:
    program, _, words = command.partition(" ")
    return Text(
        "command.server_stands_before_command_not",
        "--server stands before the command, not behind it; write `{program} --server NAME {words}`",
        program=program,
        words=words,
    )
