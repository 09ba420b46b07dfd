"""What can be wrong with processes of this host.

HostingError
├── LaunchError              the bot's own program could not be started; the message says why
├── LauncherLostError        the launcher itself is gone: the host is broken
├── StorageFailedError       no room, or no right, for files that a bot needs
├── RuntimeDirectoryError    no place for sockets; see `arena.hosting.runtime_directory`
└── SandboxUnavailableError  this machine has no sandbox of the level that is needed; see `arena.hosting.sandbox.choice`
"""

from __future__ import annotations


class HostingError(Exception):
    """The root of what is wrong with processes of this host."""


class LaunchError(HostingError):
    """The program could not be started, and that is its own fault: it is missing, or is no program."""


class LauncherLostError(HostingError):
    """The launcher is gone."""


class StorageFailedError(HostingError):
    """Files that a bot needs could not be written or read, and not through its own fault."""


class RuntimeDirectoryError(HostingError):
    """No directory for sockets could be made; the message names the remedy."""


class SandboxUnavailableError(HostingError):
    """There is no sandbox of the level that is needed; the message names the remedy."""
