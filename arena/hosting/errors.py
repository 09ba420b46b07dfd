"""Errors of starting and running processes on this host.

HostingError
├── LaunchError              the bot's own program could not be started; the message says why
├── HostBusyError            no room for another process just now; it may start later
├── LauncherLostError        the launcher itself is gone: the host is broken
├── StorageFailedError       no space or no permission for files that a bot needs
├── RuntimeDirectoryError    no directory for sockets; see `arena.hosting.runtime_directory`
└── SandboxUnavailableError  this machine has no sandbox of the required level; see `arena.hosting.sandbox.choice`
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import ClassVar


class HostingError(Exception):
    """The root of the errors about processes on this host."""

    kind: ClassVar[str] = "unavailable"


class LaunchError(HostingError):
    """The bot's program could not be started through its own fault: it is missing, or it cannot be executed."""

    kind = "failed"


class HostBusyError(HostingError):
    """There is no room on this machine for another process, thread or descriptor at this moment."""


class LauncherLostError(HostingError):
    """The launcher process has ended unexpectedly."""


class StorageFailedError(HostingError):
    """Files that a bot needs could not be written or read, which is not the bot's fault."""


class RuntimeDirectoryError(HostingError):
    """No directory for sockets could be made; the message names the remedy."""


class SandboxUnavailableError(HostingError):
    """There is no sandbox of the required level on this machine; the message names the remedy."""


_KIND_OF: Mapping[int, type[HostingError]] = {
    **dict.fromkeys((errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE), HostBusyError),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO), StorageFailedError),
}


def host_error(number: int) -> type[HostingError]:
    """Return the class for an error number of the system, where the host is at fault."""
    return _KIND_OF.get(number, HostingError)
