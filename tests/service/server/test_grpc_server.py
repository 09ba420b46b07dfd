"""The owners' server: its listeners, health and reflection, how it stops, and what clients are told of errors."""

from __future__ import annotations

import errno
import tempfile
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped] # it has no types
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # type: ignore[import-untyped] # no types

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
from arena.i18n.catalogue import translate
from arena.model.accounts import Identity
from arena.model.errors import FellBehindError, ForbiddenError, RefusedError, UnknownError
from arena.model.ladders import LadderRequest
from arena.model.tournament_requests import TournamentRequest
from arena.rpc.channel import Endpoint
from arena.rpc.errors import BusyError, CertificateError, LoginError, ProtocolError, UnreachableError
from arena.rpc.login import check_protocol, open_line
from arena.rpc.method_table import PACKAGE, SERVICES
from arena.rpc.remote_arena import RemoteArena
from arena.service.activities.ladders import _FILES_GONE
from arena.service.server.errors import status_of
from arena.service.startup_errors import ListenError
from arena.service.task_supervision import NO_SANDBOX
from arena.trial.trials import TrialCheck, failed, finding_json
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from engine.errors import InvariantError, PositionError
from engine.translatable import Text
from ratings.errors import DatabaseAccessError, DatabaseBusyError, RatingsError
from ratings.ledger.ledger import Ledger
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.models import VersionRecord
from ratings.values.states import Scope
from tests.support.owners import RunningServer, running_server
from tests.support.patience import PATIENCE_S
from tests.support.sources import told_errors


def test_whoever_comes_over_the_socket_is_the_organiser(server: RunningServer) -> None:
    with server.arena() as arena:
        identity = arena.account.get_identity()
    assert (identity.scope, identity.owner, identity.token) == (Scope.ORGANISER, None, None)


def test_over_tls_the_token_says_who_it_is(server: RunningServer) -> None:
    with server.arena(server.token("ada", Scope.COMPETITOR)) as arena:
        identity = arena.account.get_identity()
    assert (identity.scope, identity.owner) == (Scope.COMPETITOR, "ada")


@pytest.mark.hostile("call-the-service-without-a-token")
@pytest.mark.parametrize("token", [None, "", "kma_wrong", "x" * 5000])
def test_without_a_valid_token_nothing_is_told(server: RunningServer, token: str | None) -> None:
    with open_line(server.endpoint, token) as line, pytest.raises(LoginError):
        RemoteArena(line).account.get_identity()


def test_a_revoked_token_is_worth_nothing_at_once(server: RunningServer) -> None:
    token = server.token("ada", Scope.COMPETITOR)
    with server.arena() as organiser, server.arena(token) as ada:
        name = ada.account.get_identity().token
        assert name is not None
        organiser.admin.revoke_token(name, "ada")
        with pytest.raises(LoginError, match="was revoked"):
            ada.account.get_identity()


def test_a_disabled_owner_is_locked_out_and_let_in_again(server: RunningServer) -> None:
    token = server.token("ada", Scope.COMPETITOR)
    with server.arena() as organiser, server.arena(token) as ada:
        organiser.admin.set_owner_disabled("ada", True)
        with pytest.raises(LoginError, match="'ada' is disabled"):
            ada.account.get_identity()
        organiser.admin.set_owner_disabled("ada", False)
        assert ada.account.get_identity().owner == "ada"


def test_a_scope_that_does_not_suffice_is_named_with_the_one_that_does(server: RunningServer) -> None:
    with server.arena(server.token("ada", Scope.VIEWER)) as ada:
        with pytest.raises(ForbiddenError, match=r"needs a token of scope organiser.*scope viewer"):
            ada.admin.list_owners()
        with pytest.raises(ForbiddenError, match="needs a token of scope competitor"):
            ada.bots.set_disabled("fox", True)


def test_an_invitation_becomes_an_owner_and_a_token_once(server: RunningServer) -> None:
    with server.arena() as organiser:
        code = organiser.admin.invite_owner("eve").code
    with open_line(server.endpoint) as line:
        made = RemoteArena(line).entrance.redeem_invitation(code, "laptop")
        with pytest.raises(ForbiddenError, match="invitation"):
            RemoteArena(line).entrance.redeem_invitation(code, "laptop-2")
    assert (made.summary.owner, made.summary.scope) == ("eve", Scope.COMPETITOR)
    with server.arena(made.token) as eve:
        assert eve.account.get_identity().owner == "eve"


@pytest.mark.hostile("guess-tokens")
def test_after_ten_failed_logins_an_address_has_to_wait_but_not_who_was_in_before(server: RunningServer) -> None:
    token = server.token("ada", Scope.COMPETITOR)
    with server.arena(token) as ada, server.arena("kma_guess") as guest:
        ada.account.get_identity()
        for _ in range(10):
            with pytest.raises(LoginError):
                guest.account.get_identity()
        with pytest.raises(BusyError, match=r"try again in \d+ s"):
            guest.account.get_identity()
        with open_line(server.endpoint) as line, pytest.raises(BusyError):
            RemoteArena(line).entrance.redeem_invitation("kmi_guess", "laptop")
        assert ada.account.get_identity().owner == "ada"


def test_lists_go_on_where_the_page_before_ended(server: RunningServer) -> None:
    with server.arena() as organiser:
        for name in ("ada", "bob", "eve"):
            organiser.admin.add_owner(name)
        first = organiser.admin.list_owners(limit=2)
        second = organiser.admin.list_owners(limit=2, after=first.next)
        assert [owner.name for owner in (*first.items, *second.items)] == ["eve", "bob", "ada"]
        assert second.next is None
        with pytest.raises(RefusedError):
            organiser.admin.list_owners(after="no cursor")


def test_errors_come_with_the_words_of_the_service(server: RunningServer) -> None:
    with server.arena() as organiser:
        with pytest.raises(UnknownError, match="'nobody'"):
            organiser.admin.set_owner_disabled("nobody", True)
        with pytest.raises(RefusedError, match="'Not A Name'"):
            organiser.admin.add_owner("Not A Name")


def test_a_service_with_another_certificate_than_the_pinned_one_is_not_talked_to(
    server: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from arena.service.server.self_signed import make_certificate

    other = make_certificate(tmp_path_factory.mktemp("other"), []).certificate.read_text(encoding="ascii")
    wrong = Endpoint(server.endpoint.address, other, "localhost")
    with open_line(wrong, "kma_secret") as line, pytest.raises(CertificateError, match="another certificate"):
        RemoteArena(line).account.get_identity()


def test_a_service_that_is_gone_is_told_in_one_line(server: RunningServer) -> None:
    for endpoint in (Endpoint("unix:/nowhere/owners.sock"), Endpoint("127.0.0.1:1", plain=True)):
        with open_line(endpoint) as line, pytest.raises(UnreachableError):
            RemoteArena(line).account.get_identity()


def test_an_address_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(RefusedError, match="is not Unicode text"):
        Endpoint("unix:/\udcff/owners.sock")


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def test_a_token_may_ask_whether_the_service_is_well(server: RunningServer) -> None:
    with server.endpoint.open() as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest()
        assert stub.Check(request, metadata=bearer(server.token("ada", Scope.PLAYER))).status == 1
        with pytest.raises(grpc.RpcError) as refused:
            stub.Check(request)
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_reflection_tells_the_services_to_holders_of_a_token(server: RunningServer) -> None:
    request = reflection_pb2.ServerReflectionRequest(list_services="*")
    with server.endpoint.open() as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        (answer,) = stub.ServerReflectionInfo(iter([request]), metadata=bearer(server.token("ada", Scope.VIEWER)))
    names = {service.name for service in answer.list_services_response.service}
    assert names >= {f"{PACKAGE}.{service}" for service in SERVICES}
    assert f"{PACKAGE}.PlayService" not in names


def test_a_client_of_another_major_version_is_refused_naming_both(server: RunningServer) -> None:
    with server.socket.open() as channel:
        call: Any = channel.unary_unary(f"/{PACKAGE}.AccountService/GetIdentity")
        with pytest.raises(grpc.RpcError) as refused:
            call(b"", metadata=(("arena-protocol", "7"),))
    metadata: Any = refused.value.trailing_metadata()
    details = dict(metadata)[STATUS_DETAILS_KEY]
    status = decode_status(details)
    assert status.reason == "PROTOCOL_VERSION"
    assert "version 7" in status.message
    assert "version 1" in status.message


def test_a_service_of_another_major_version_is_refused_naming_both() -> None:
    with pytest.raises(ProtocolError, match=r"version 7 .* version 1"):
        check_protocol(Identity(Scope.VIEWER, None, protocol_major=7), "arena.example.org:7733")


def test_a_stream_ends_when_its_token_is_revoked(server: RunningServer) -> None:
    token = server.token("ada", Scope.VIEWER)
    ended: list[grpc.StatusCode] = []

    def watch() -> None:
        with server.endpoint.open() as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            try:
                for _ in stub.Watch(health_pb2.HealthCheckRequest(), metadata=bearer(token)):
                    started.set()
            except grpc.RpcError as error:
                ended.append(error.code())

    started = threading.Event()
    thread = threading.Thread(target=watch)
    thread.start()
    assert started.wait(PATIENCE_S)
    with server.arena(token) as arena:
        name = arena.account.get_identity().token
    assert name is not None
    ServiceLedger(server.database).revoke_token(name, owner="ada")
    thread.join(PATIENCE_S)
    assert ended == [grpc.StatusCode.UNAUTHENTICATED]


def test_a_server_that_stops_ends_what_goes_on_and_its_socket_is_gone() -> None:
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        with running_server(Path(directory)) as server:
            socket, endpoint = server.addresses.socket, server.socket
            assert socket is not None
            assert socket.exists()
            channel = endpoint.open()
            watched = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            assert next(watched).status == 1
        with pytest.raises(grpc.RpcError):
            for _ in watched:
                pass
        channel.close()
        assert not socket.exists()


def test_a_port_in_use_and_an_open_address_without_tls_are_refused_in_one_line(server: RunningServer) -> None:
    import asyncio

    from arena.service.server.grpc_server import ListenOptions, OwnerServices, OwnersServer

    async def start(listening: ListenOptions) -> None:
        await OwnersServer(OwnerServices(server.database, server.store, server.uploads), listening).start()

    for listening, said in (
        (ListenOptions(None, server.addresses.address, server.tls), "in use"),
        (ListenOptions(None, "0.0.0.0:0"), "--tls-self-signed"),
        (ListenOptions(None, "nowhere"), "127.0.0.1:7733"),
        (ListenOptions(Path("/tmp") / ("x" * 120) / "owners.sock"), "shorter --home"),
        (ListenOptions(Path("/tmp/owners.sock")), "chmod 700 /tmp"),
    ):
        with pytest.raises(ListenError, match=said):
            asyncio.run(start(listening))


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
WHY = Text("It cannot be started here: {why}.", why="no /bin/sh")


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


def add_fox(server: RunningServer) -> VersionRecord:
    ledger = Ledger(server.database)
    version, _ = ledger.add_version(bot="fox", owner="ada", content_hash="f" * 64, manifest={"games": ["*"]})
    return version


def german(text: str | None) -> str:
    return translate(text or "", "de")


def test_an_admission_is_told_with_its_findings_and_what_became_of_the_bot(server: RunningServer) -> None:
    token, ledger = server.token("ada", Scope.COMPETITOR), ServiceLedger(server.database)
    version = add_fox(server)
    ledger.request_admission(version.id)
    assert ledger.take_admission() is not None
    ledger.requeue_admissions(None, NO_SANDBOX)
    with server.arena(token) as ada:
        assert german(ada.admissions.get_admission("ada/fox").summary).startswith("Er wartet: ")
        taken = ledger.take_admission()
        assert taken is not None
        finding = finding_json(failed(TrialCheck.START, WHY))
        summary = Text("Refused: {why}", why=WHY)
        ledger.finish_admission(taken.admission.id, is_admitted=False, summary=summary, findings=[finding])
        admission = ada.admissions.get_admission("ada/fox")
        (found,), told = admission.findings, "Er lässt sich hier nicht starten: no /bin/sh."
        assert (found.sentence, german(found.sentence)) == (WHY, told)
        assert german(admission.summary) == f"Abgelehnt: {told}"
        operation = ada.operations.get_operation(f"admissions/{admission.id}")
        assert (german(operation.sentence), german(operation.error)) == (f"Abgelehnt: {told}",) * 2
        refused, submitted = ada.bots.list_events("ada/fox").items
        assert (german(refused.message), submitted.message) == (f"Abgelehnt: {told}", "")


def test_a_ladder_is_told_with_who_is_absent_and_why_it_was_closed(server: RunningServer) -> None:
    token, version = server.token("ada", Scope.COMPETITOR), add_fox(server)
    ledger = ServiceLedger(server.database)
    ledger.request_admission(version.id)
    taken = ledger.take_admission()
    assert taken is not None
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])
    endless = TournamentRequest(
        format="ladder", game="foreign_king", seats=2, bots=(), time="50ms", start_limit="10s", settings={"waves": 0}
    )
    with server.arena() as organiser, server.arena(token) as ada:
        organiser.seasons.open_ladder(LadderRequest("king", endless))
        assert german(organiser.ladders.get_ladder("king").note).startswith("wartet auf Bots: ")
        ledger.note_absences({version.id: _FILES_GONE})
        (absent,) = ada.ladders.get_ladder("king").absent
        assert (absent.why, german(absent.why)[:10]) == (_FILES_GONE, "die Arena ")
        (notice,) = ada.account.list_notices().items
        assert german(notice.sentence).endswith(german(_FILES_GONE))
        why = Text(
            "{game} has rules version {version} now, and this ladder was played by version {old}",
            game="foreign_king",
            version="2",
            old="1",
        )
        LadderLedger(server.database).close_ladder("king", why)
        closed = ada.ladders.get_ladder("king").closed_because
        assert closed == why
        assert german(closed).startswith("foreign_king hat jetzt ")
