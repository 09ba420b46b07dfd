"""What the error of a service means to whoever asked it."""

from __future__ import annotations

from typing import Any, NoReturn

import grpc

from arena.cli.shared.errors import EXIT_CODES
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
from arena.model.errors import kind_of
from arena.rpc.errors import error_of
from arena.service.server.errors import status_of
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from tests.support.errors import told_errors
from tests.support.reporting import report

OF_UPLOADS = (
    *(missing(), space(""), UploadOffsetError("", 7), UploadSupersededError(UploadReason.SUPERSEDED, "")),
    *(UploadRefusedError(UploadReason.TOO_LARGE, ""), UploadInvalidError(UploadReason.INVALID, "")),
    UploadDamagedError(UploadReason.DAMAGED, ""),
)


class Refused(grpc.RpcError):
    """A call that ended with a status."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self._status = status

    def code(self) -> grpc.StatusCode:
        return next(code for code in grpc.StatusCode if code.value[0] == self._status.code)

    def details(self) -> str:
        return self._status.message

    def trailing_metadata(self) -> Any:
        return ((STATUS_DETAILS_KEY, encode_status(self._status)),)


def diagnose() -> NoReturn:
    raise AssertionError("the service has answered")


def test_a_command_ends_alike_whether_the_arena_is_here_or_a_service() -> None:
    def exits(error: BaseException) -> tuple[int, int]:
        status = status_of(error)
        assert status is not None
        return EXIT_CODES[kind_of(error)], EXIT_CODES[kind_of(error_of(Refused(status), "there", diagnose))]

    codes = {type(error).__name__: exits(error) for error in (*told_errors(), *OF_UPLOADS)}
    report(f"{name}: {here} here, {there} there" for name, (here, there) in codes.items() if here != there)
