"""The message of an error as the public may read it, in English: never where something lies on this machine."""

from __future__ import annotations

import errno
from typing import Final

from arena.rpc.errors import CertificateError, ProtocolError, UnreachableError
from engine.translatable import Text
from ratings.errors import DatabaseError, DatabaseFullError

_AWAY: Final = Text("the service of this arena does not answer just now; try again in a moment")
_UNREAD: Final = Text("the database of this arena cannot be read just now; try again in a moment")
_FULL: Final = Text("the disk of this arena is full, and nothing was kept; try again when its organiser has made room")
_SOCKET: Final = "unix:"


def public_message(error: BaseException) -> str:
    """Return the message of an error as the public may read it."""
    if is_full(error):
        return _FULL
    if isinstance(error, DatabaseError):
        return _UNREAD
    names_place = isinstance(error, (UnreachableError, CertificateError, ProtocolError)) or _SOCKET in str(error)
    return _AWAY if names_place else str(error)


def is_full(error: BaseException | None) -> bool:
    """Return whether an error says that there is no room on a disk, or in somebody's part of it."""
    is_disk = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return is_disk or isinstance(error, DatabaseFullError)
