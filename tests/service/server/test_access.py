"""Every call of every service, with every kind of token: only what the table allows is let in.

The calls are read from the descriptors of what the server serves, so a new one cannot be forgotten.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool

from arena.rpc.calls import SERVICES, UPLOAD, all_rpcs
from arena.service.server.access import ACCESS, OPEN, may_call
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.ledger.service import ServiceLedger
from ratings.values.states import Scope
from tests.support.owners import RunningServer, running_server
from tests.support.patience import PATIENCE_S
from tests.wire.surface import descriptors

OURS = [
    f"/{service.full_name}/{method.name}"
    for file in descriptors()
    for service in file.services_by_name.values()
    for method in service.methods
    if service.name in SERVICES
]
FOREIGN = [path for path in ACCESS if path not in OURS]
PATHS = [*OURS, *FOREIGN]
Metadata = tuple[tuple[str, str], ...]


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory), failed_logins=1_000_000) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def channel(server: RunningServer) -> Iterator[grpc.Channel]:
    with server.endpoint.open() as opened:
        yield opened


@pytest.fixture(scope="module")
def tokens(server: RunningServer) -> dict[str, str]:
    """A token of every kind."""
    made = {scope.value: server.token("ada" if scope is not Scope.ORGANISER else None, scope) for scope in Scope}
    ledger = ServiceLedger(server.database)
    revoked = ledger.new_token("ada", name="revoked", scope=Scope.COMPETITOR)
    ledger.revoke_token(revoked.token.id, of_anybody=True)
    disabled = server.token("eve", Scope.COMPETITOR)
    ledger.set_owner_disabled("eve", disabled=True)
    return {**made, "unknown": "kma_unknown", "revoked": revoked.secret, "disabled": disabled}


def bearing(token: str | None) -> Metadata:
    """The metadata of a call that shows a token, or none."""
    return () if token is None else (("authorization", f"Bearer {token}"),)


def answer(channel: grpc.Channel, path: str, metadata: Metadata) -> tuple[grpc.StatusCode, str]:
    """The code with which an empty call ends, and its reason; a stream ends with its first message."""
    method = descriptor_pool.Default().FindMethodByName(path[1:].replace("/", "."))
    client = "stream" if method.client_streaming else "unary"
    call = getattr(channel, f"{client}_{'stream' if method.server_streaming else 'unary'}")(path)
    request = iter([b""]) if method.client_streaming else b""
    try:
        if not method.server_streaming:
            call(request, metadata=metadata, timeout=PATIENCE_S)
            return grpc.StatusCode.OK, ""
        responses = call(request, metadata=metadata, timeout=PATIENCE_S)
        try:
            next(responses, None)
        finally:
            responses.cancel()
    except grpc.RpcError as error:
        failed: Any = error
        details = dict(failed.trailing_metadata() or ()).get(STATUS_DETAILS_KEY)
        return failed.code(), decode_status(details).reason if details else ""
    return grpc.StatusCode.OK, ""


def test_the_table_names_every_call_and_no_other() -> None:
    assert set(OURS) == {*all_rpcs(), UPLOAD}
    assert set(ACCESS) | {OPEN} >= set(OURS)
    assert set(ACCESS) - set(OURS) == {path for path in ACCESS if not path.startswith("/arena.v1.")}


def misjudged(channel: grpc.Channel, metadata: Metadata, scope: Scope) -> list[tuple[str, grpc.StatusCode, str]]:
    """The calls that the table allows to a scope and the server does not, or the other way round, or that it fails."""
    found = []
    for path in PATHS:
        code, reason = answer(channel, path, metadata)
        is_refused = (code, reason) == (grpc.StatusCode.PERMISSION_DENIED, "SCOPE")
        may = path == OPEN or may_call(path, scope)
        is_odd = code in {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNIMPLEMENTED} or reason == "INTERNAL"
        if is_refused is may or is_odd:
            found.append((path, code, reason))
    return found


@pytest.mark.parametrize("scope", Scope)
def test_a_token_opens_what_the_table_allows_to_its_scope(
    channel: grpc.Channel, tokens: dict[str, str], scope: Scope
) -> None:
    assert misjudged(channel, bearing(tokens[scope.value]), scope) == []


def test_without_a_token_nothing_opens(channel: grpc.Channel) -> None:
    answers = {path: answer(channel, path, bearing(None)) for path in PATHS if path != OPEN}
    expected = grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING"
    assert {path: told for path, told in answers.items() if told != expected} == {}


@pytest.mark.parametrize("kind", ["unknown", "revoked", "disabled"])
def test_a_token_that_does_not_hold_opens_nothing_of_any_service(
    channel: grpc.Channel, tokens: dict[str, str], kind: str
) -> None:
    by_service = {path.rpartition("/")[0]: path for path in PATHS if path != OPEN}
    answers = {path: answer(channel, path, bearing(tokens[kind])) for path in (UPLOAD, *by_service.values())}
    expected = grpc.StatusCode.UNAUTHENTICATED, "TOKEN"
    assert {path: told for path, told in answers.items() if told != expected} == {}


def test_a_player_may_play_and_nothing_else() -> None:
    allowed = {path for path in OURS if may_call(path, Scope.PLAYER)}
    assert allowed == {"/arena.v1.AccountService/GetIdentity"}


def test_a_scope_may_whatever_the_next_one_may() -> None:
    for path in OURS:
        assert may_call(path, Scope.VIEWER) <= may_call(path, Scope.COMPETITOR) <= may_call(path, Scope.ORGANISER)
