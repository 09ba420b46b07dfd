"""What may be wrong beyond what the arena itself raises; every message is one line that ends with the remedy.

BotDirectoryError (arena.hosting.manifest)
└── CallableError       a callable, or whatever is given as a bot, cannot become one
ClientError (arena.model.errors)
└── VoidMatchError      the match has no result, because the host failed
ImportError
└── MissingPackageError a package of the extra `research` is not there
KeyboardInterrupt
└── RunStoppedError     Ctrl-C: what was finished is recorded, and the rest can be played later

What the arena raises ends with a remedy for whoever sits at a terminal. Of those that a program meets, `for_programs`
tells the remedies in the words of `arena.api`; what only a command can do, such as upgrading a database, stays as it
is.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.hosting.manifest import BotDirectoryError
from arena.model.errors import ClientError

_WORDS = (
    (r"`arena bot list` shows all, .*", "Arena.bots() shows all"),
    (r"`arena bot add DIRECTORY` adds one", "Arena.add(...) adds one"),
    (r"`arena bot add (\S+)` builds it", r"Arena.add('\1') builds it"),
    (r": arena bot disable (\S+) --undo", r": Arena.port.bots.set_disabled('\1', False)"),
    (r"`arena tournament list` shows all", "Arena.tournaments() shows all"),
    (r"`arena tournament resume (.+?)` goes on with it, another --name", r"Arena.resume('\1') goes on, another name"),
    (r"see `arena tournament show`", "Arena.result(...) shows it"),
    (r"see: arena tournament show TOURNAMENT --matches", "Arena.matches() lists them"),
    (r"`arena game list` shows", "engine.registry.names() tells"),
    (r"`arena demo` plays some matches", "Arena.tournament(...) plays some matches"),
    (r"wait for its end, or stop it and resume", "wait for its end, or stop it and call Arena.resume(...)"),
    (r"then resume$", "then call Arena.resume(...)"),
    (r"--same-owner or --unrated", "same_owner=True or rated=False"),
    (r"--allow-reduced-sandbox", "allow_reduced=True"),
    (r"`--sandbox none`", "sandbox='none'"),
    (r"leave out --double", "leave out lives"),
    (r"--start-limit '", "start_limit '"),
    (r"--start-limit (\w+)", r"start_limit='\1'"),
    (r"--opening-plies (\d+)", r"opening_plies=\1"),
    (r"--seats (\d+)", r"seats=\1"),
    (r"(?<![\w-])--([a-z]+)", r"\1"),
)
_COMPILED = tuple((re.compile(pattern), words) for pattern, words in _WORDS)
_BY_COMMAND_ALONE = re.compile(r"arena (?:db|doctor) ")


class CallableError(BotDirectoryError):
    """What was given as a bot cannot become one."""


class VoidMatchError(ClientError):
    """The host could not play the match, so it has no result."""


class MissingPackageError(ImportError):
    """A package that is needed for this is not installed."""


class RunStoppedError(KeyboardInterrupt):
    """Ctrl-C ended a run in good order; `tournament` is the name by which the rest is played."""

    def __init__(self, message: str, tournament: str) -> None:
        super().__init__(message)
        self.tournament = tournament


def need_package(name: str, has: str, what_for: str, remedy: str) -> Any:
    """Return a package that only some need, and that has something by which it is told from others of its name.

    Raises MissingPackageError, which says what installs it.
    """
    try:
        found = importlib.import_module(name)
    except Exception as error:  # whatever it is that a package raises which does not fit those beside it
        why = " ".join(str(error).split())
        raise MissingPackageError(f"{what_for} needs the package {name} ({why:.200}); {remedy}") from error
    if not hasattr(found, has):
        why = f"{getattr(found, '__file__', None)} has no {has}"
        raise MissingPackageError(f"{what_for} needs the package {name} ({why}); {remedy}")
    return found


def in_words_of_programs(message: str) -> str:
    """Return the message of an error with the remedy that a program has."""
    if _BY_COMMAND_ALONE.search(message):
        return message
    for pattern, words in _COMPILED:
        message = pattern.sub(words, message)
    return message


@contextmanager
def for_programs() -> Iterator[None]:
    """Have what is raised in the block name the remedies of programs; its type stays."""
    try:
        yield
    except Exception as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (in_words_of_programs(error.args[0]),)
        raise
