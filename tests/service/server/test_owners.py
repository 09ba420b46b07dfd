"""The server: two ways in, errors as a client of the interface meets them, streams that end when a token does."""

import pytest

from arena.model.errors import ForbiddenError, RefusedError, UnknownError
from arena.rpc.channel import Endpoint
from arena.rpc.errors import BusyError, CertificateError, LoginError, UnreachableError
from arena.rpc.login import open_line
from arena.rpc.remote import RemoteArena
from ratings.values.states import Scope
from tests.support.owners import RunningServer


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
    from arena.service.server.tls import make_certificate

    other = make_certificate(tmp_path_factory.mktemp("other"), []).certificate.read_text(encoding="ascii")
    wrong = Endpoint(server.endpoint.address, other, "localhost")
    with open_line(wrong, "kma_secret") as line, pytest.raises(CertificateError, match="another certificate"):
        RemoteArena(line).account.get_identity()


def test_a_service_that_is_gone_is_told_in_one_line(server: RunningServer) -> None:
    for endpoint in (Endpoint("unix:/nowhere/owners.sock"), Endpoint("127.0.0.1:1", plain=True)):
        with open_line(endpoint) as line, pytest.raises(UnreachableError):
            RemoteArena(line).account.get_identity()
