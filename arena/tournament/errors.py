"""Everything this package raises on purpose, but for the `ScheduleError` of its formats.

Errors of the engine and of the book of record pass through it.

TournamentError
├── OrderError          what was asked for makes no tournament; nothing was written
├── NotPlayableError    finished, cancelled, or planned for other rules than those installed
├── AlreadyRunningError another process is playing it now
└── HostFailingError    one match after the other was lost by the host; the run stopped
"""


class TournamentError(Exception):
    """The root of everything this package raises on purpose."""


class OrderError(TournamentError, ValueError):
    """What was asked for makes no tournament."""


class NotPlayableError(TournamentError):
    """There is nothing to play in this tournament, or not with this program."""


class AlreadyRunningError(TournamentError):
    """Another process is playing the tournament."""


class HostFailingError(TournamentError):
    """The host loses every match."""
