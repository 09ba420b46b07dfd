"""What a client is told of an error: codes and reasons that never change, and nothing that is nobody's business."""

from __future__ import annotations

import errno

import grpc
import pytest

from arena.hosting.archive.format import ArchiveReason, BotArchiveError
from arena.hosting.builds import BuildMissingError
from arena.hosting.uploads.errors import (
    UploadDamagedError,
    UploadInvalidError,
    UploadOffsetError,
    UploadReason,
    UploadRefusedError,
    UploadSupersededError,
    missing,
    space,
)
from arena.model.errors import FellBehindError
from arena.service.server.errors import status_of
from engine.errors import InvariantError, PositionError
from ratings.errors import DatabaseAccessError, DatabaseBusyError, RatingsError
from tests.support.errors import told_errors

WIRE = {
    "ABILITY": "INVALID_ARGUMENT",
    "ACCOUNT": "INVALID_ARGUMENT",
    "ADMISSION": "FAILED_PRECONDITION",
    "AMBIGUOUS": "INVALID_ARGUMENT",
    "BOT": "FAILED_PRECONDITION",
    "BOT_DIRECTORY": "INVALID_ARGUMENT",
    "BOT_FILES": "INVALID_ARGUMENT",
    "DAMAGED": "DATA_LOSS",
    "DATABASE_BUSY": "UNAVAILABLE",
    "DATABASE_LOST": "UNAVAILABLE",
    "DISK_FULL": "RESOURCE_EXHAUSTED",
    "FAILED": "FAILED_PRECONDITION",
    "FELL_BEHIND": "ABORTED",
    "FORBIDDEN": "PERMISSION_DENIED",
    "GAME_UNKNOWN": "NOT_FOUND",
    "HIDDEN": "FAILED_PRECONDITION",
    "INVITATION": "PERMISSION_DENIED",
    "LADDER": "FAILED_PRECONDITION",
    "LIMIT": "RESOURCE_EXHAUSTED",
    "NOTATION": "INVALID_ARGUMENT",
    "NOT_FOUND": "NOT_FOUND",
    "OPTIONS": "INVALID_ARGUMENT",
    "PAGE": "INVALID_ARGUMENT",
    "PLAN": "FAILED_PRECONDITION",
    "REFUSED": "INVALID_ARGUMENT",
    "REQUEST": "INVALID_ARGUMENT",
    "RUNTIME": "INVALID_ARGUMENT",
    "SCHEDULE": "INVALID_ARGUMENT",
    "SEATS": "INVALID_ARGUMENT",
    "STATISTICS": "FAILED_PRECONDITION",
    "STORE": "UNAVAILABLE",
    "TIME_CONTROL": "INVALID_ARGUMENT",
    "TOKEN": "UNAUTHENTICATED",
    "TOURNAMENT": "FAILED_PRECONDITION",
}
"""The code of every reason that a class carries, as clients of older versions know them."""


def told(error: BaseException) -> tuple[str, str] | None:
    """The code and the reason that a client is told."""
    status = status_of(error)
    codes = {code.value[0]: code.name for code in grpc.StatusCode}
    return None if status is None else (codes[status.code], status.reason)


def test_codes_and_reasons_never_change() -> None:
    assert {told(error) for error in told_errors()} == {(code, reason) for reason, code in WIRE.items()}


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (missing(), "NOT_FOUND", "UPLOAD_MISSING"),
        (UploadOffsetError("", 7), "FAILED_PRECONDITION", "UPLOAD_OFFSET"),
        (UploadSupersededError(UploadReason.SUPERSEDED, ""), "ABORTED", "UPLOAD_SUPERSEDED"),
        (UploadRefusedError(UploadReason.TOO_LARGE, ""), "RESOURCE_EXHAUSTED", "UPLOAD_TOO_LARGE"),
        (UploadInvalidError(UploadReason.INVALID, ""), "INVALID_ARGUMENT", "UPLOAD_INVALID"),
        (UploadInvalidError(UploadReason.OVERRUN, ""), "INVALID_ARGUMENT", "UPLOAD_OVERRUN"),
        (space(""), "RESOURCE_EXHAUSTED", "UPLOAD_DISK_FULL"),
        (UploadDamagedError(UploadReason.DAMAGED, ""), "DATA_LOSS", "UPLOAD_DAMAGED"),
        (BotArchiveError(ArchiveReason.TRUNCATED, ""), "INVALID_ARGUMENT", "ARCHIVE_TRUNCATED"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_error_with_a_reason_of_its_own_is_told_by_that(error: Exception, code: str, reason: str) -> None:
    assert told(error) == (code, reason)


def test_what_programs_want_to_know_besides_comes_along() -> None:
    for error, facts in ((UploadOffsetError("", 7), {"offset": "7"}), (FellBehindError(3), {"sequence": "3"})):
        status = status_of(error)
        assert status is not None
        assert status.metadata == facts


@pytest.mark.parametrize("error", [RatingsError, DatabaseAccessError, PositionError, InvariantError, KeyError, OSError])
def test_an_error_without_a_reason_is_a_fault_of_the_service(error: type[Exception]) -> None:
    assert status_of(error("/home/of/the/organiser")) is None


@pytest.mark.parametrize("error", [DatabaseBusyError, BuildMissingError])
def test_where_something_lies_is_nobodys_business(error: type[Exception]) -> None:
    status = status_of(error("/home/of/the/organiser"))
    assert status is not None
    assert "/home" not in status.message


def test_a_full_disk_is_told_as_one_also_where_something_else_noticed_it() -> None:
    lost = BuildMissingError("x")
    lost.__cause__ = OSError(errno.ENOSPC, "no space")
    for error in (OSError(errno.EDQUOT, "quota"), lost):
        assert told(error) == ("RESOURCE_EXHAUSTED", "DISK_FULL")
