"""Errors about an upload, each with a reason that stays the same for programs.

UploadError
├── UploadMissingError      there is no such upload
├── UploadOffsetError       the piece does not begin where what is stored ends
├── UploadSupersededError   the upload was begun again by another stream
├── UploadRefusedError      the upload is over a limit
│   └── UploadInvalidError  what was announced makes no sense, or something else arrives
├── UploadSpaceError        the machine cannot store it now
└── UploadDamagedError      all bytes arrived, and they are not the archive that was announced
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import ClassVar

from engine.os_errors import os_error_text
from engine.translatable import Text, joined

_LATER = Text("what has arrived is kept, submit again later")


class UploadReason(StrEnum):
    """Why an upload does not go on; the values never change."""

    MISSING = "UPLOAD_MISSING"
    OFFSET = "UPLOAD_OFFSET"
    SUPERSEDED = "UPLOAD_SUPERSEDED"
    INVALID = "UPLOAD_INVALID"
    TOO_LARGE = "UPLOAD_TOO_LARGE"
    TOO_MANY = "UPLOAD_TOO_MANY"
    OWNER_FULL = "UPLOAD_OWNER_FULL"
    AREA_FULL = "UPLOAD_AREA_FULL"
    OVERRUN = "UPLOAD_OVERRUN"
    DISK_FULL = "UPLOAD_DISK_FULL"
    DAMAGED = "UPLOAD_DAMAGED"


class UploadError(Exception):
    """An upload does not go on; the message is one line that ends with the remedy."""

    kind: ClassVar[str] = "conflict"

    def __init__(self, reason: UploadReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class UploadMissingError(UploadError):
    """There is no such upload: it was never begun, or it was discarded."""

    kind = "not_found"


class UploadOffsetError(UploadError):
    """The piece does not begin where what is stored ends."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(UploadReason.OFFSET, message)
        self.offset = offset  # how many bytes are stored: where the upload goes on


class UploadSupersededError(UploadError):
    """The upload was begun again by another stream, which goes on with it."""

    kind = "aborted"


class UploadRefusedError(UploadError):
    """The upload is over a limit."""

    kind = "limit"


class UploadInvalidError(UploadRefusedError):
    """What was announced makes no sense, or something else arrives."""

    kind = "misuse"


class UploadSpaceError(UploadError):
    """The machine cannot store the upload now, which is not the sender's fault."""

    kind = "full"


class UploadDamagedError(UploadError):
    """All bytes have arrived, and they are not the archive that was announced; the upload is discarded."""

    kind = "damaged"


def missing() -> UploadMissingError:
    """Return the error for an upload that is not there."""
    return UploadMissingError(UploadReason.MISSING, Text("there is no such upload; submit the bot again"))


def space(what: str) -> UploadSpaceError:
    """Return the error for a machine that cannot store an upload now."""
    return UploadSpaceError(UploadReason.DISK_FULL, joined(what, _LATER))


@contextmanager
def storing() -> Iterator[None]:
    """Turn what goes wrong with the disk into an UploadSpaceError."""
    try:
        yield
    except OSError as error:
        raise space(Text("the service cannot store the upload ({why})", why=os_error_text(error))) from error
