"""Errors about runtimes: of the organiser who defines them, of a bot that names one, of the machine that has them.

RuntimeSettingsError   a definition is not valid
UnknownRuntimeError    a bot names a runtime that this arena does not have (a BotDirectoryError)
RuntimeBrokenError     what a definition names is not on this machine, or does not work (a HostingError)
"""

from __future__ import annotations

from typing import ClassVar

from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError


class RuntimeSettingsError(ValueError):
    """The definition of a runtime is not valid; the message names place, key and remedy."""

    kind: ClassVar[str] = "misuse"
    reason: ClassVar[str] = "RUNTIME"


class UnknownRuntimeError(BotDirectoryError):
    """A bot names a runtime that this arena does not have; the message names those it has."""


class RuntimeBrokenError(HostingError):
    """A runtime is not on this machine as it was defined; the message names the remedy."""
