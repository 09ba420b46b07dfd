"""The one place that turns errors into exit codes: 0 fine, 1 failed, 2 misuse, 130 interrupted.

    CliError        the command failed
    └── MisuseError the command line asks for something that does not exist or cannot be

Whatever a command raises becomes one line on stderr, in the language of this process; ARENA_DEBUG=1 shows the
traceback above it.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches

import typer

from arena.cli.shared import settings
from arena.cli.shared.output import printable
from arena.i18n.speaking import language_of_process
from arena.i18n.telling import tell

FAILED = 1
MISUSE = 2
INTERRUPTED = 130

REPORT_REMEDY = "this is a fault of the arena; ARENA_DEBUG=1 shows the traceback for a report"


class CliError(Exception):
    """The command failed; the message is one line that ends with the remedy."""

    exit_code = FAILED


class MisuseError(CliError):
    """The command line names something that does not exist, or asks for what cannot be."""

    exit_code = MISUSE


# Written as names, so that a command that never touches the database does not import it for its errors' sake.
EXIT_CODES = {
    "engine.errors.UnknownGameError": MISUSE,
    "engine.errors.OptionsError": MISUSE,
    "engine.errors.SeatsError": MISUSE,
    "engine.errors.NotationError": MISUSE,
    "engine.errors.AbilityError": MISUSE,
    "engine.errors.EngineError": FAILED,
    "arena.model.errors.RefusedError": MISUSE,
    "arena.model.errors.ClientError": FAILED,
    "ratings.errors.NotFoundError": MISUSE,
    "ratings.errors.AmbiguousError": MISUSE,
    "ratings.errors.BotError": MISUSE,
    "ratings.errors.PlanError": MISUSE,
    "ratings.errors.PageError": MISUSE,
    "ratings.errors.AccountError": MISUSE,
    "ratings.errors.AccessDeniedError": MISUSE,
    "ratings.errors.LimitError": MISUSE,
    "ratings.errors.AdmissionError": MISUSE,
    "ratings.errors.LadderError": MISUSE,
    "ratings.errors.ArchiveError": FAILED,
    "ratings.errors.RatingsError": FAILED,
    "ratings.statistics.errors.StatisticsError": FAILED,
    "arena.match.time_control.TimeControlError": MISUSE,
    "arena.hosting.manifest.BotDirectoryError": MISUSE,
    "arena.hosting.runtimes.errors.RuntimeSettingsError": MISUSE,
    "arena.hosting.store.StoreError": FAILED,
    "arena.hosting.archive.errors.BotArchiveError": MISUSE,
    "arena.hosting.uploads.errors.UploadError": FAILED,
    "arena.hosting.errors.HostingError": FAILED,
    "arena.connect.errors.LeftError": INTERRUPTED,
    "arena.connect.errors.ConnectError": FAILED,
    "arena.tournament.errors.RequestError": MISUSE,
    "arena.tournament.formats.errors.ScheduleError": MISUSE,
    "arena.tournament.errors.TournamentError": FAILED,
    "arena.match.host_faults.MatchLostError": FAILED,
    "arena.match.replay.ReplayError": FAILED,
    "arena.story.facts.StoryError": FAILED,
    "arena.executor.interface.ExecutorFailedError": FAILED,
    "arena.trial.artifacts.KeepingError": MISUSE,
    "arena.trial.trials.UndecidedError": FAILED,
    "arena.service.errors.SettingsError": MISUSE,
    "arena.service.errors.ServiceError": FAILED,
    "builtins.OSError": FAILED,
}


def unknown(kind: str, text: str, known: Sequence[str], remedy: str) -> MisuseError:
    """Return the error for a name that does not exist: it tells the nearest name that does, and where to look."""
    close = get_close_matches(text, known, n=1, cutoff=0.5)
    guess = f" did you mean {close[0]!r}?" if close else ""
    return MisuseError(f"there is no {kind} {text!r};{guess} {remedy}")


def _code(error: BaseException) -> int | None:
    if isinstance(error, CliError):
        return error.exit_code
    for kind in type(error).__mro__:
        code = EXIT_CODES.get(f"{kind.__module__}.{kind.__qualname__}")
        if code is not None:
            return code
    return None


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        if error.filename:
            return f"there is no room left for {error.filename}; free some space and run the command again"
        return "there is no room left on the disk; free some space and run the command again"
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{place}"
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
        _say(_told("interrupted"))
        return INTERRUPTED
    if _code(error) is None:
        error = _why_the_engine_fails() or error
    code = _code(error)
    if code is None:
        _say(_told(f"{type(error).__name__}: {_one_line(str(error))}; {REPORT_REMEDY}"))
        return FAILED
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
    return f"arena: {tell(sentence, language_of_process(os.environ))}"


def _say(text: str) -> None:
    """Write a line on stderr; where that cannot be written to either, the exit code must do."""
    with suppress(OSError):
        typer.echo(text, err=True)


def _report_usage(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    message = _one_line(error.format_message()).rstrip(".")
    if context is None:
        _say(_told(message))
    elif getattr(error, "option_name", "") == "--server":
        _say(_told(_server_goes_first(context.command_path)))
    else:
        _say(_told(f"{message}{' ' if message.endswith('?') else '; '}see `{context.command_path} --help`"))
    return error.exit_code


def _server_goes_first(command: str) -> str:
    program, _, words = command.partition(" ")
    return f"--server stands before the command, not behind it; write `{program} --server NAME {words}`"
