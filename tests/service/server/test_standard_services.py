"""Health and reflection, protocol versions, and how a server stops."""

import tempfile
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped] # it has no types
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc  # type: ignore[import-untyped] # no types

from arena.model.accounts import Identity
from arena.rpc.calls import PACKAGE, SERVICES
from arena.rpc.errors import ProtocolError
from arena.rpc.login import check_protocol
from arena.service.errors import ListenError
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.ledger.service import ServiceLedger
from ratings.values.states import Scope
from tests.support.owners import RunningServer, running_server
from tests.support.patience import PATIENCE_S


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

    from arena.service.server.owners import ListenOptions, OwnerServices, OwnersServer

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
