"""Chooses a user id for each bot process of a launcher that runs as root, from a range that nobody else uses."""

from __future__ import annotations

import errno
import os
import pwd
import socket
from collections.abc import Iterator

FIRST_UID = 1_900_000_000
"""Above the ids of systemd, containers and user namespaces (which end at 1,879,048,191), below 2^31."""
UIDS = 4096
_NAME = "\0kingmaker-arena-uid-{}"


class NoUidError(OSError):
    """Every id of the range is taken."""


def take_uid() -> tuple[int, socket.socket]:
    """Return an id that no other process of any arena uses, and its lock; closing the lock gives the id back.

    Raises NoUidError.

    The lock is a name of an abstract socket: it vanishes with the process that holds it, so it is never stale.
    """
    for uid in _candidates():
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(_NAME.format(uid))
        except OSError:
            lock.close()
            continue
        if _is_free(uid):
            return uid, lock
        lock.close()
    raise NoUidError(errno.EAGAIN, f"all {UIDS} user ids from {FIRST_UID} on are taken")


def _candidates() -> Iterator[int]:
    """Return the whole range from a random start, so that an id is not used again at once."""
    start = int.from_bytes(os.urandom(2), "big") % UIDS
    yield from (FIRST_UID + (start + offset) % UIDS for offset in range(UIDS))


def _is_free(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return True
    return False
