"""The one place that turns exceptions into what a client is told: a canonical code, a stable reason, the message.

An error is told if it has a reason; the code follows from its kind (`arena.model.errors.ErrorKind`). Besides:

CallError              whatever the server itself refuses, with code and reason
└── SlowReaderError    a client does not take what a stream sends
"""

from __future__ import annotations

import errno
from collections.abc import Mapping

import grpc

from arena.model.errors import ErrorKind, kind_of
from arena.wire.status import Status
from engine.translatable import Text, with_parts

Code = grpc.StatusCode


class CallError(Exception):
    """A call is refused by the server itself; the message names the remedy."""

    def __init__(
        self, code: grpc.StatusCode, reason: str, message: str, metadata: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = metadata or {}


class SlowReaderError(CallError):
    """A client does not take what a stream sends; it may ask again behind the last that it has."""

    def __init__(self) -> None:
        super().__init__(
            grpc.StatusCode.ABORTED, "FELL_BEHIND", "nothing was taken of this answer for a long time; ask again"
        )


_DISK_FULL_TEXT = Text(
    "the disk of the service is full, and nothing was recorded; what has arrived is kept, so try again when "
    "the organiser has made room"
)

CODES: Mapping[ErrorKind, grpc.StatusCode] = {
    ErrorKind.MISUSE: Code.INVALID_ARGUMENT,
    ErrorKind.NOT_FOUND: Code.NOT_FOUND,
    ErrorKind.DENIED: Code.PERMISSION_DENIED,
    ErrorKind.UNAUTHENTICATED: Code.UNAUTHENTICATED,
    ErrorKind.CONFLICT: Code.FAILED_PRECONDITION,
    ErrorKind.FAILED: Code.FAILED_PRECONDITION,
    ErrorKind.HIDDEN: Code.FAILED_PRECONDITION,
    ErrorKind.LIMIT: Code.RESOURCE_EXHAUSTED,
    ErrorKind.FULL: Code.RESOURCE_EXHAUSTED,
    ErrorKind.UNAVAILABLE: Code.UNAVAILABLE,
    ErrorKind.DAMAGED: Code.DATA_LOSS,
    ErrorKind.ABORTED: Code.ABORTED,
    ErrorKind.INTERNAL: Code.INTERNAL,
}
_MARK = "\0"
MOST_MESSAGE_BYTES = 1000
"""A status travels as metadata, written twice and up to threefold, and a client takes 16 KiB of it."""
_TOLD_INSTEAD = {
    "DATABASE_BUSY": Text("the database of the service is busy, and nothing was recorded; try again"),
    "DATABASE_LOST": "the database of the service does not answer, and nothing was recorded; try again later",
    "DISK_FULL": _DISK_FULL_TEXT,
    "STORE": Text(
        "the service cannot reach the files of a bot, and nothing was recorded; tell the organiser, then try again"
    ),
}
"""By reason: what these errors say names places on the machine of the service, nobody's business; the log has it."""
FAILED = Status(
    CODES[ErrorKind.INTERNAL].value[0],
    "INTERNAL",
    Text("the service failed at this, and its log says why; tell the organiser the time"),
)
"""What is told of an exception that nobody foresaw: nothing of what it says, which may be nobody's business."""
_DISK_FULL = Status(CODES[ErrorKind.FULL].value[0], "DISK_FULL", _DISK_FULL_TEXT)


def status_of(error: BaseException) -> Status | None:
    """Return what a client is told of an exception, or `None` if it is a fault of the service."""
    if isinstance(error, CallError):
        return Status(error.code.value[0], error.reason, shortened(str(error)), error.metadata)
    if _is_disk_full(error):
        return _DISK_FULL
    kind, reason = kind_of(error), str(getattr(error, "reason", ""))
    if kind is ErrorKind.INTERNAL or not reason:
        return None
    if reason in _TOLD_INSTEAD and _is_disk_full(error.__cause__):
        return _DISK_FULL
    message = _TOLD_INSTEAD.get(reason, shortened(str(error)))
    return Status(CODES[kind].value[0], reason, message, _facts_of(error))


def _is_disk_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def shortened(message: str) -> str:
    """Return a message that travels: one that quotes a text of any length loses its middle, and keeps its remedy."""
    data = message.encode(errors="replace")
    if len(data) <= MOST_MESSAGE_BYTES:
        return message
    half = MOST_MESSAGE_BYTES // 2
    cut = f"{data[:half].decode(errors='ignore')}...{data[-half:].decode(errors='ignore')}"
    return _with_its_longest_part_cut(message, cut) if isinstance(message, Text) else cut


def _with_its_longest_part_cut(text: Text, cut: str) -> str:
    """Return the text with its longest part cut, if that is where the message was; else the plain words."""
    parts: list[str] = []
    with_parts(text, lambda part: parts.append(part) or part)  # type: ignore[func-returns-value]
    longest = max(parts, key=len, default="")
    before, _, after = with_parts(text, lambda part: _MARK if part == longest else part).partition(_MARK)
    if not (cut.startswith(before) and cut.endswith(after)) or _MARK in after:
        return cut
    left = cut[len(before) : len(cut) - len(after)]
    return with_parts(text, lambda part: left if part == longest else part)


def _facts_of(error: BaseException) -> dict[str, str]:
    """Return what programs want to know of an error besides its reason."""
    found = {name: getattr(error, name, None) for name in ("offset", "sequence")}
    return {name: str(value) for name, value in found.items() if isinstance(value, int)}
