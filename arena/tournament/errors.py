"""Everything this package raises on purpose, but for the `ScheduleError` of its formats.

TournamentError
├── RequestError        what was asked for makes no tournament, or cannot be done in this one; nothing was written
├── NotPlayableError    finished, cancelled, or planned for other rules than those installed
├── AlreadyRunningError another process is playing it now
└── HostFailingError    the host lost one match after the other, and the run stopped

Errors of the engine and of the book of record pass through it.
"""

from typing import ClassVar


class TournamentError(Exception):
    """The root of everything this package raises on purpose, but for the errors of its formats."""

    kind: ClassVar[str] = "failed"
    reason: ClassVar[str] = "TOURNAMENT"


class RequestError(TournamentError, ValueError):
    """What was asked for makes no tournament, or cannot be done in this one; nothing was written."""

    kind = "misuse"
    reason = "REQUEST"


class NotPlayableError(TournamentError):
    """There is nothing to play in this tournament, or not with this program."""


class AlreadyRunningError(TournamentError):
    """Another process is playing the tournament."""


class HostFailingError(TournamentError):
    """The host loses every match."""
