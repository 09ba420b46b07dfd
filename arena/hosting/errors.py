"""Errors of starting and running processes on this host, and how processes of ours end.

HostingError
├── LaunchError              the bot's own program could not be started; the message says why
├── HostBusyError            no room for another process just now; it may start later
├── OutOfMemoryError         the kernel killed a bot for want of memory; the next match may be played
├── LauncherLostError        the launcher itself is gone: the host is broken
├── StorageFailedError       no space or no permission for files that a bot needs
├── RuntimeDirectoryError    no directory for sockets; see `arena.hosting.user_directories`
└── SandboxUnavailableError  this machine has no sandbox of the required level; see `arena.hosting.sandbox.limits`

A process that came to a limit of its own has crashed, like one that broke. A process that somebody killed did not
crash, nor did one that ended with an error: that is the host's affair.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Mapping
from typing import ClassVar, NoReturn

from engine.translatable import Text

OVER_LIMIT_STATUS = 75
"""The exit status of a process that reached a limit of its own."""
_NO_THREAD = "pthread_create failed"
_CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP})


class HostingError(Exception):
    """The root of the errors about processes on this host."""

    kind: ClassVar[str] = "unavailable"


class LaunchError(HostingError):
    """The bot's program could not be started through its own fault: it is missing, or it cannot be executed."""

    kind = "failed"


class HostBusyError(HostingError):
    """There is no room on this machine for another process, thread or descriptor at this moment."""


class OutOfMemoryError(HostingError):
    """The kernel killed a process of a bot for want of memory, and not because the bot used too much."""

    def __init__(self) -> None:
        super().__init__(
            Text(
                "this host ran out of memory, and its kernel killed a process of a bot; use fewer --workers, give each "
                "bot less memory (memory_mb in its bot.toml), or add memory"
            )
        )


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


def exit_over_limit(words: str) -> NoReturn:
    """End this process at once, with these last words; what it started sees its end and clears up."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
    os._exit(OVER_LIMIT_STATUS)  # whoever brought it down may have left nothing in order that an orderly end needs


def is_crash(code: int | None, last_words: str = "") -> bool:
    """Return whether a process with this exit code, negative for a signal, reached a limit of its own or crashed.

    One whose `last_words` are that it got no thread did neither: gRPC aborts where the machine has no room for long.
    """
    return code is not None and (code == OVER_LIMIT_STATUS or -code in _CRASHES) and _NO_THREAD not in last_words


def describe_end(code: int | None) -> str:
    """Return how a process ended, in a word or two."""
    number = -code if code is not None and code < 0 else 0
    return signal.Signals(number).name if number in list(signal.Signals) else Text("exit status {status}", status=code)
