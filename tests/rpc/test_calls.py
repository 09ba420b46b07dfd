"""Every call fits the method of the interface that it stands for, and errors mean the same to a client."""

from __future__ import annotations

from typing import Any, NoReturn

import grpc
from google.protobuf import descriptor_pool

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
from arena.rpc.calls import PACKAGE, SERVICES, UPLOAD, all_rpcs
from arena.rpc.errors import error_of
from arena.service.server.errors import status_of
from arena.wire.status import STATUS_DETAILS_KEY, Status, encode_status
from ratings.values.page import MOST_LIMIT
from tests.support.reporting import report
from tests.support.sources import told_errors
from tests.wire.surface import descriptors

OF_UPLOADS = (
    *(missing(), space(""), UploadOffsetError("", 7), UploadSupersededError(UploadReason.SUPERSEDED, "")),
    *(UploadRefusedError(UploadReason.TOO_LARGE, ""), UploadInvalidError(UploadReason.INVALID, "")),
    UploadDamagedError(UploadReason.DAMAGED, ""),
)


def test_request_and_response_are_what_the_method_takes_and_returns() -> None:
    for rpc in all_rpcs().values():
        rpc.check()
        method = descriptor_pool.Default().FindMethodByName(rpc.path[1:].replace("/", "."))
        assert method.server_streaming is rpc.is_stream, rpc.path
        assert not method.client_streaming, rpc.path


def test_every_call_of_every_service_is_derived_from_the_interface_but_one() -> None:
    declared = {
        f"/{service.full_name}/{method.name}"
        for file in descriptors()
        for service in file.services_by_name.values()
        for method in service.methods
        if service.name in SERVICES
    }
    assert declared == {*all_rpcs(), UPLOAD}
    assert all(path.startswith(f"/{PACKAGE}.") for path in declared)


def test_what_is_not_sent_is_none_or_has_its_default_and_no_page_is_longer_than_allowed() -> None:
    rpc = all_rpcs()["/arena.v1.BotService/ListBots"]
    empty = rpc.encode_request({"limit": None, "after": None})
    assert rpc.decode_request(empty) == {"limit": MOST_LIMIT, "after": None}
    assert rpc.decode_request(rpc.encode_request({"limit": 10_000, "after": None}))["limit"] == MOST_LIMIT
    full = rpc.encode_request({"limit": 7, "after": "cursor"})
    assert rpc.decode_request(full) == {"limit": 7, "after": "cursor"}
    rpc = all_rpcs()["/arena.v1.LeaderboardService/GetCrosstable"]
    assert rpc.decode_request(rpc.encode_request({"tournament": None, "pool": None, "limit": 0}))["limit"] == 50


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
