"""The one place that turns exceptions into what a client is told: a canonical code, a stable reason, the message.

CallError        whatever the server itself refuses, with code and reason
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


# Written as names, so that the table imports nothing. The class nearest to the exception's own counts.
CODES: Mapping[str, tuple[grpc.StatusCode, str]] = {
    "engine.core.UnknownGameError": (Code.NOT_FOUND, "GAME_UNKNOWN"),
    "engine.core.OptionsError": (Code.INVALID_ARGUMENT, "OPTIONS"),
    "engine.core.SeatsError": (Code.INVALID_ARGUMENT, "SEATS"),
    "engine.core.NotationError": (Code.INVALID_ARGUMENT, "NOTATION"),
    "engine.core.AbilityError": (Code.INVALID_ARGUMENT, "ABILITY"),
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
    "ratings.errors.DatabaseFullError": (Code.RESOURCE_EXHAUSTED, "DISK_FULL"),
    "ratings.statistics.errors.StatisticsError": (Code.FAILED_PRECONDITION, "STATISTICS"),
    "arena.match.time_control.TimeControlError": (Code.INVALID_ARGUMENT, "TIME_CONTROL"),
    "arena.hosting.manifest.BotDirectoryError": (Code.INVALID_ARGUMENT, "BOT_DIRECTORY"),
    "arena.hosting.content.BotFilesError": (Code.INVALID_ARGUMENT, "BOT_FILES"),
    "arena.hosting.runtimes.errors.RuntimeSettingsError": (Code.INVALID_ARGUMENT, "RUNTIME"),
    "arena.hosting.store.StoreError": (Code.UNAVAILABLE, "STORE"),
    "arena.hosting.archive.errors.ArchiveError": (Code.INVALID_ARGUMENT, "ARCHIVE"),
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
    "arena.client.errors.UnknownError": (Code.NOT_FOUND, "NOT_FOUND"),
    "arena.client.errors.ForbiddenError": (Code.PERMISSION_DENIED, "FORBIDDEN"),
    "arena.client.errors.HiddenError": (Code.FAILED_PRECONDITION, "HIDDEN"),
    "arena.client.errors.FellBehindError": (Code.ABORTED, "FELL_BEHIND"),
    "arena.client.errors.RefusedError": (Code.INVALID_ARGUMENT, "REFUSED"),
    "arena.client.errors.ClientError": (Code.FAILED_PRECONDITION, "FAILED"),
}
MOST_MESSAGE_BYTES = 1000
"""A status travels as metadata, written twice and up to threefold, and a client takes 16 KiB of it."""
_CODES_BY_REASON = {"UPLOAD_INVALID": Code.INVALID_ARGUMENT}
FAILED = Status(
    Code.INTERNAL.value[0], "INTERNAL", "the service failed at this, and its log says why; tell the organiser the time"
)
"""What is told of an exception that nobody foresaw: nothing of what it says, which may be nobody's business."""


def status_of(error: BaseException) -> Status | None:
    """Return what a client is told of an exception, or `None` if it is a fault of the service."""
    if isinstance(error, CallError):
        return Status(error.code.value[0], error.reason, shortened(str(error)), error.metadata)
    for kind in type(error).__mro__:
        found = CODES.get(f"{kind.__module__}.{kind.__qualname__}")
        if found is not None:
            code, reason = found
            code = _CODES_BY_REASON.get(str(getattr(error, "reason", reason)), code)
            return Status(code.value[0], str(getattr(error, "reason", reason)), shortened(str(error)), _facts_of(error))
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        text = "the disk of the service is full, and nothing was stored; try again later"
        return Status(Code.RESOURCE_EXHAUSTED.value[0], "DISK_FULL", text)
    return None


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
