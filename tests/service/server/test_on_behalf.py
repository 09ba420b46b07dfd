"""The socket of this machine: its caller is the organiser, unless he says that he asks for somebody else."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.model.errors import ForbiddenError
from arena.rpc.errors import BusyError, LoginError
from arena.rpc.login import open_line
from arena.rpc.remote import Behalf, RemoteArena
from arena.service.server.authentication import LoginGuard
from arena.service.server.errors import CallError
from ratings.values.states import Scope
from tests.service.server.test_access import Metadata, answer, bearing, misjudged
from tests.support.owners import RunningServer, running_server

PUBLIC: Metadata = (("arena-viewer", "public"),)
IDENTITY = "/arena.v1.AccountService/GetIdentity"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with tempfile.TemporaryDirectory(prefix="kma") as directory, running_server(Path(directory)) as running:
        yield running


@pytest.fixture(scope="module")
def channel(server: RunningServer) -> Iterator[grpc.Channel]:
    with server.socket.open() as opened:
        yield opened


def test_the_public_may_call_what_a_viewer_may_and_nothing_else(channel: grpc.Channel) -> None:
    assert misjudged(channel, PUBLIC, Scope.VIEWER) == []


def test_a_token_over_the_socket_is_worth_what_it_is_elsewhere(server: RunningServer, channel: grpc.Channel) -> None:
    assert misjudged(channel, bearing(server.token("ada", Scope.PLAYER)), Scope.PLAYER) == []


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
    channel: grpc.Channel, metadata: Metadata, reason: str
) -> None:
    code, told = answer(channel, IDENTITY, metadata)
    assert code is not grpc.StatusCode.OK
    assert told == reason


def test_the_public_says_who_it_is_only_on_this_machine(server: RunningServer) -> None:
    with server.endpoint.open() as over_tls:
        assert answer(over_tls, IDENTITY, PUBLIC) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")


def test_a_visitor_without_a_token_is_a_viewer_without_an_owner(server: RunningServer) -> None:
    with open_line(server.socket, behalf=Behalf("192.0.2.1")) as line:
        arena = RemoteArena(line)
        identity = arena.account.get_identity()
        assert (identity.scope, identity.owner, identity.token) == (Scope.VIEWER, None, None)
        with pytest.raises(ForbiddenError, match="and none was shown"):
            arena.admin.list_owners()


def test_a_visitor_with_a_token_is_its_holder(server: RunningServer) -> None:
    token = server.token("eve", Scope.COMPETITOR)
    with open_line(server.socket, token, Behalf("192.0.2.1")) as line:
        identity = RemoteArena(line).account.get_identity()
    assert (identity.scope, identity.owner) == (Scope.COMPETITOR, "eve")


def test_failed_logins_count_for_the_address_of_the_visitor_and_for_no_other(server: RunningServer) -> None:
    def asking(address: str, token: str | None = "kma_guess") -> Any:
        return open_line(server.socket, token, Behalf(address))

    for _ in range(10):
        with asking("192.0.2.7") as line, pytest.raises(LoginError):
            RemoteArena(line).account.get_identity()
    with asking("192.0.2.7") as line, pytest.raises(BusyError):
        RemoteArena(line).account.get_identity()
    with asking("192.0.2.8") as line, pytest.raises(LoginError):
        RemoteArena(line).account.get_identity()


@pytest.mark.hostile("guess-invitations")
def test_codes_of_invitations_are_guessed_no_faster_through_the_pages(server: RunningServer) -> None:
    with open_line(server.socket, behalf=Behalf("192.0.2.9")) as line:
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
