"""Every call of every service, with every kind of token, and whose calls are whose.

The calls are read from the descriptors of what the server serves, so a new one cannot be forgotten.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool

from arena.app import accounts
from arena.model.errors import ForbiddenError, RefusedError, UnknownError
from arena.rpc.errors import BusyError, LoginError
from arena.rpc.login import open_line
from arena.rpc.method_table import SERVICES, UPLOAD, all_rpcs
from arena.rpc.remote_arena import Behalf, RemoteArena
from arena.service.server.access import ACCESS, OPEN, may_call
from arena.service.server.authentication import LoginGuard
from arena.service.server.errors import CallError
from arena.wire.status import STATUS_DETAILS_KEY, decode_status
from ratings.ledger.service_ledger import ServiceLedger
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


PUBLIC: Metadata = (("arena-viewer", "public"),)
IDENTITY = "/arena.v1.AccountService/GetIdentity"
_DAY_US = 24 * 3600 * 1_000_000


@pytest.fixture(scope="module")
def serving() -> Iterator[RunningServer]:
    with tempfile.TemporaryDirectory(prefix="kma") as directory, running_server(Path(directory)) as running:
        yield running


@pytest.fixture(scope="module")
def local(serving: RunningServer) -> Iterator[grpc.Channel]:
    with serving.socket.open() as opened:
        yield opened


def test_the_public_may_call_what_a_viewer_may_and_nothing_else(local: grpc.Channel) -> None:
    assert misjudged(local, PUBLIC, Scope.VIEWER) == []


def test_a_token_over_the_socket_is_worth_what_it_is_elsewhere(serving: RunningServer, local: grpc.Channel) -> None:
    assert misjudged(local, bearing(serving.token("ada", Scope.PLAYER)), Scope.PLAYER) == []


@pytest.mark.hostile("ask-in-the-organisers-name")
@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        (bearing("kma_unknown"), "TOKEN"),
        (bearing(""), "TOKEN_MISSING"),
        ((("authorization", "kma_unknown"),), "TOKEN_MISSING"),
        ((("authorization", ""),), "TOKEN_MISSING"),
        ((("arena-viewer", ""),), "VIEWER"),
        ((("arena-viewer", "organiser"),), "VIEWER"),
        ((("arena-viewer", "public"), ("arena-viewer", "organiser")), "VIEWER"),
        ((*PUBLIC, *bearing("kma_unknown")), "VIEWER"),
    ],
)
def test_whoever_asks_for_another_badly_is_never_the_organiser(
    local: grpc.Channel, metadata: Metadata, reason: str
) -> None:
    code, told = answer(local, IDENTITY, metadata)
    assert code is not grpc.StatusCode.OK
    assert told == reason


def test_the_public_says_who_it_is_only_on_this_machine(serving: RunningServer) -> None:
    with serving.endpoint.open() as over_tls:
        assert answer(over_tls, IDENTITY, PUBLIC) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")


def test_a_visitor_without_a_token_is_a_viewer_without_an_owner(serving: RunningServer) -> None:
    with open_line(serving.socket, behalf=Behalf("192.0.2.1")) as line:
        arena = RemoteArena(line)
        identity = arena.account.get_identity()
        assert (identity.scope, identity.owner, identity.token) == (Scope.VIEWER, None, None)
        with pytest.raises(ForbiddenError, match="and none was shown"):
            arena.admin.list_owners()


def test_a_visitor_with_a_token_is_its_holder(serving: RunningServer) -> None:
    token = serving.token("eve", Scope.COMPETITOR)
    with open_line(serving.socket, token, Behalf("192.0.2.1")) as line:
        identity = RemoteArena(line).account.get_identity()
    assert (identity.scope, identity.owner) == (Scope.COMPETITOR, "eve")


def test_failed_logins_count_for_the_address_of_the_visitor_and_for_no_other(serving: RunningServer) -> None:
    def asking(address: str, token: str | None = "kma_guess") -> Any:
        return open_line(serving.socket, token, Behalf(address))

    for _ in range(10):
        with asking("192.0.2.7") as line, pytest.raises(LoginError):
            RemoteArena(line).account.get_identity()
    with asking("192.0.2.7") as line, pytest.raises(BusyError):
        RemoteArena(line).account.get_identity()
    with asking("192.0.2.8") as line, pytest.raises(LoginError):
        RemoteArena(line).account.get_identity()


@pytest.mark.hostile("guess-invitations")
def test_codes_of_invitations_are_guessed_no_faster_through_the_pages(serving: RunningServer) -> None:
    with open_line(serving.socket, behalf=Behalf("192.0.2.9")) as line:
        entrance = RemoteArena(line).entrance
        for _ in range(10):
            with pytest.raises(ForbiddenError):
                entrance.redeem_invitation("kmi_guess", "laptop")
        with pytest.raises(BusyError):
            entrance.redeem_invitation("kmi_guess", "laptop")


def test_whoever_tries_tokens_from_one_network_of_ipv6_is_one_address() -> None:
    guard = LoginGuard(most_failures=2, clock=lambda: 0.0)
    for number in (1, 2):
        guard.note_failure(f"2001:db8::{number}")
    with pytest.raises(CallError, match="too many failed logins from 2001:db8::3"):
        guard.check("2001:db8::3")
    guard.check("2001:db8:0:1::3")
    guard.check("::ffff:192.0.2.1")


def test_a_token_makes_another_lists_it_without_its_secret_and_revokes_it(serving: RunningServer) -> None:
    with serving.arena(serving.token("ada", Scope.COMPETITOR)) as ada:
        made = ada.account.new_own_token("laptop")
        assert (made.summary.owner, made.summary.scope) == ("ada", Scope.COMPETITOR)
        listed = ada.account.list_own_tokens().items
        assert listed[0].name == "laptop"
        assert made.token not in repr(listed)
        with serving.arena(made.token) as laptop:
            assert laptop.account.get_identity().token == "laptop"
            assert ada.account.revoke_own_token("laptop").revoked_at_us is not None
            with pytest.raises(LoginError, match="was revoked"):
                laptop.account.get_identity()


def test_an_owner_neither_sees_nor_revokes_the_tokens_of_others(serving: RunningServer) -> None:
    bobs = serving.token("bob", Scope.COMPETITOR)
    with serving.arena(bobs) as bob, serving.arena(serving.token("ada", Scope.COMPETITOR)) as ada:
        theirs = bob.account.list_own_tokens().items[0]
        assert {one.owner for one in ada.account.list_own_tokens(limit=None).items} == {"ada"}
        for text in (theirs.id, theirs.name):
            with pytest.raises(RefusedError, match="no token"):
                ada.account.revoke_own_token(text)
        assert bob.account.get_identity().owner == "bob"


@pytest.mark.hostile("make-a-token-that-allows-more")
def test_no_token_makes_one_that_allows_more_or_holds_longer(serving: RunningServer) -> None:
    end_us = time.time_ns() // 1000 + _DAY_US
    with serving.arena(serving.token("ada", Scope.COMPETITOR, end_us)) as ada:
        with pytest.raises(ForbiddenError, match="scope organiser"):
            ada.account.new_own_token("all", Scope.ORGANISER)
        with pytest.raises(ForbiddenError, match="expires earlier"):
            ada.account.new_own_token("longer", Scope.VIEWER, end_us + 1)
        assert ada.account.new_own_token("as-long", Scope.PLAYER).summary.expires_at_us == end_us
        assert ada.account.new_own_token("shorter", Scope.VIEWER, end_us - 1).summary.expires_at_us == end_us - 1


def test_who_only_looks_or_is_no_owner_has_no_tokens_of_his_own(serving: RunningServer) -> None:
    with (
        serving.arena(serving.token("ada", Scope.VIEWER)) as viewer,
        pytest.raises(ForbiddenError, match="competitor"),
    ):
        viewer.account.list_own_tokens()
    with serving.arena() as organiser, pytest.raises(UnknownError, match="arena token list"):
        organiser.account.new_own_token("mine")


@pytest.mark.hostile("make-tokens-without-end")
def test_so_many_tokens_a_day_and_no_more(serving: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_A_DAY", 3)
    with serving.arena(serving.token("cid", Scope.COMPETITOR)) as cid:
        for name in ("one", "two"):
            cid.account.new_own_token(name)
            cid.account.revoke_own_token(name)
        with pytest.raises(BusyError, match="3 tokens within a day"):
            cid.account.new_own_token("three")
