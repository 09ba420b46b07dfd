"""The one place that turns exceptions into what a client is told: a canonical code, a stable reason, the message.

CallError              whatever the server itself refuses, with code and reason
└── SlowReaderError    a client does not take what a stream sends
"""

from __future__ import annotations

import errno
from collections.abc import Mapping

import grpc

from arena.wire.status import Status

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


_DISK_FULL_TEXT = (
    "the disk of the service is full, and nothing was recorded; what has arrived is kept, so try again when the "
    "organiser has made room"
)

# Written as names, so that the table imports nothing. The class nearest to the exception's own counts.
CODES: Mapping[str, tuple[grpc.StatusCode, str]] = {
    "engine.errors.UnknownGameError": (Code.NOT_FOUND, "GAME_UNKNOWN"),
    "engine.errors.OptionsError": (Code.INVALID_ARGUMENT, "OPTIONS"),
    "engine.errors.SeatsError": (Code.INVALID_ARGUMENT, "SEATS"),
    "engine.errors.NotationError": (Code.INVALID_ARGUMENT, "NOTATION"),
    "engine.errors.AbilityError": (Code.INVALID_ARGUMENT, "ABILITY"),
    "ratings.errors.NotFoundError": (Code.NOT_FOUND, "NOT_FOUND"),
    "ratings.errors.AmbiguousError": (Code.INVALID_ARGUMENT, "AMBIGUOUS"),
    "ratings.errors.BotError": (Code.FAILED_PRECONDITION, "BOT"),
    "ratings.errors.PlanError": (Code.FAILED_PRECONDITION, "PLAN"),
    "ratings.errors.PageError": (Code.INVALID_ARGUMENT, "PAGE"),
    "ratings.errors.AccountError": (Code.INVALID_ARGUMENT, "ACCOUNT"),
    "ratings.errors.InvitationError": (Code.PERMISSION_DENIED, "INVITATION"),
    "ratings.errors.AccessDeniedError": (Code.UNAUTHENTICATED, "TOKEN"),
    "ratings.errors.LimitError": (Code.RESOURCE_EXHAUSTED, "LIMIT"),
    "ratings.errors.AdmissionError": (Code.FAILED_PRECONDITION, "ADMISSION"),
    "ratings.errors.LadderError": (Code.FAILED_PRECONDITION, "LADDER"),
    "ratings.errors.DatabaseBusyError": (Code.UNAVAILABLE, "DATABASE_BUSY"),
    "ratings.errors.DatabaseLostError": (Code.UNAVAILABLE, "DATABASE_LOST"),
    "ratings.errors.DatabaseFullError": (Code.RESOURCE_EXHAUSTED, "DISK_FULL"),
    "ratings.statistics.errors.StatisticsError": (Code.FAILED_PRECONDITION, "STATISTICS"),
    "arena.match.time_control.TimeControlError": (Code.INVALID_ARGUMENT, "TIME_CONTROL"),
    "arena.hosting.manifest.BotDirectoryError": (Code.INVALID_ARGUMENT, "BOT_DIRECTORY"),
    "arena.hosting.content.BotFilesError": (Code.INVALID_ARGUMENT, "BOT_FILES"),
    "arena.hosting.runtimes.errors.RuntimeSettingsError": (Code.INVALID_ARGUMENT, "RUNTIME"),
    "arena.hosting.store.StoreError": (Code.UNAVAILABLE, "STORE"),
    "arena.hosting.archive.errors.BotArchiveError": (Code.INVALID_ARGUMENT, "ARCHIVE"),
    "arena.hosting.uploads.errors.UploadMissingError": (Code.NOT_FOUND, "UPLOAD_MISSING"),
    "arena.hosting.uploads.errors.UploadOffsetError": (Code.FAILED_PRECONDITION, "UPLOAD_OFFSET"),
    "arena.hosting.uploads.errors.UploadSupersededError": (Code.ABORTED, "UPLOAD_SUPERSEDED"),
    "arena.hosting.uploads.errors.UploadRefusedError": (Code.RESOURCE_EXHAUSTED, "UPLOAD_REFUSED"),
    "arena.hosting.uploads.errors.UploadSpaceError": (Code.RESOURCE_EXHAUSTED, "UPLOAD_DISK_FULL"),
    "arena.hosting.uploads.errors.UploadDamagedError": (Code.DATA_LOSS, "UPLOAD_DAMAGED"),
    "arena.hosting.uploads.errors.UploadError": (Code.FAILED_PRECONDITION, "UPLOAD"),
    "arena.tournament.errors.RequestError": (Code.INVALID_ARGUMENT, "REQUEST"),
    "arena.tournament.formats.errors.ScheduleError": (Code.INVALID_ARGUMENT, "SCHEDULE"),
    "arena.tournament.errors.TournamentError": (Code.FAILED_PRECONDITION, "TOURNAMENT"),
    "arena.model.errors.UnknownError": (Code.NOT_FOUND, "NOT_FOUND"),
    "arena.model.errors.ForbiddenError": (Code.PERMISSION_DENIED, "FORBIDDEN"),
    "arena.model.errors.HiddenError": (Code.FAILED_PRECONDITION, "HIDDEN"),
    "arena.model.errors.DamagedError": (Code.DATA_LOSS, "DAMAGED"),
    "arena.model.errors.FellBehindError": (Code.ABORTED, "FELL_BEHIND"),
    "arena.model.errors.RefusedError": (Code.INVALID_ARGUMENT, "REFUSED"),
    "arena.model.errors.ClientError": (Code.FAILED_PRECONDITION, "FAILED"),
}
MOST_MESSAGE_BYTES = 1000
"""A status travels as metadata, written twice and up to threefold, and a client takes 16 KiB of it."""
_CODES_BY_REASON = {"UPLOAD_INVALID": Code.INVALID_ARGUMENT, "UPLOAD_OVERRUN": Code.INVALID_ARGUMENT}
# What these say names places on the machine of the service, which are nobody's business; the log has it.
_TOLD_INSTEAD = {
    "ratings.errors.DatabaseBusyError": "the database of the service is busy, and nothing was recorded; try again",
    "ratings.errors.DatabaseLostError": "the database of the service does not answer, and nothing was recorded; try "
    "again later",
    "ratings.errors.DatabaseFullError": _DISK_FULL_TEXT,
    "arena.hosting.store.StoreError": "the service cannot reach the files of a bot, and nothing was recorded; tell the "
    "organiser, then try again",
}
FAILED = Status(
    Code.INTERNAL.value[0], "INTERNAL", "the service failed at this, and its log says why; tell the organiser the time"
)
"""What is told of an exception that nobody foresaw: nothing of what it says, which may be nobody's business."""
_DISK_FULL = Status(Code.RESOURCE_EXHAUSTED.value[0], "DISK_FULL", _DISK_FULL_TEXT)


def status_of(error: BaseException) -> Status | None:
    """Return what a client is told of an exception, or `None` if it is a fault of the service."""
    if isinstance(error, CallError):
        return Status(error.code.value[0], error.reason, shortened(str(error)), error.metadata)
    if _is_disk_full(error):
        return _DISK_FULL
    for kind in type(error).__mro__:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if name in _TOLD_INSTEAD and _is_disk_full(error.__cause__):
            return _DISK_FULL
        if name in CODES:
            code, reason = CODES[name]
            reason = str(getattr(error, "reason", reason))
            code = _CODES_BY_REASON.get(reason, code)
            return Status(code.value[0], reason, _TOLD_INSTEAD.get(name, shortened(str(error))), _facts_of(error))
    return None


def _is_disk_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def shortened(message: str) -> str:
    """Return a message that travels: one that quotes a text of any length loses its middle, and keeps its remedy."""
    data = message.encode(errors="replace")
    if len(data) <= MOST_MESSAGE_BYTES:
        return message
    half = MOST_MESSAGE_BYTES // 2
    return f"{data[:half].decode(errors='ignore')}...{data[-half:].decode(errors='ignore')}"


def _facts_of(error: BaseException) -> dict[str, str]:
    """Return what programs want to know of an error besides its reason."""
    found = {name: getattr(error, name, None) for name in ("offset", "sequence")}
    return {name: str(value) for name, value in found.items() if isinstance(value, int)}
