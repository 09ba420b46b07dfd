"""What can go wrong when a home is backed up or restored; each message is one line with the remedy.

HomeArchiveError (a ServiceError)
└── DamagedArchiveError   the file is no archive of a home, or not as it was written
"""

from arena.service.errors import DaemonError


class HomeArchiveError(DaemonError):
    """A home cannot be backed up or restored."""


class DamagedArchiveError(HomeArchiveError):
    """The file is no archive of a home, or not as it was written."""
