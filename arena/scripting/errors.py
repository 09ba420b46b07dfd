"""What may be wrong beyond what the arena itself raises; every message is one line that ends with the remedy.

BotDirectoryError (arena.hosting.manifest)
└── CallableError       a callable, or whatever is given as a bot, cannot become one
ClientError (arena.model.errors)
└── VoidMatchError      the match has no result, because the host failed
ImportError
└── MissingPackageError a package of the extra `research` is not there
KeyboardInterrupt
└── RunStoppedError     Ctrl-C: what was finished is recorded, and the rest can be played later
"""

from __future__ import annotations

import importlib
from typing import Any

from arena.hosting.manifest import BotDirectoryError
from arena.model.errors import ClientError


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
