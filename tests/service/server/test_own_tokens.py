"""An owner manages his own tokens: what they may be, whose they are, and what a revoked one is worth."""

import time

import pytest

from arena.app import accounts
from arena.model.errors import ForbiddenError, RefusedError, UnknownError
from arena.rpc.errors import BusyError, LoginError
from ratings.values.states import Scope
from tests.support.owners import RunningServer

_DAY_US = 24 * 3600 * 1_000_000


def test_a_token_makes_another_lists_it_without_its_secret_and_revokes_it(server: RunningServer) -> None:
    with server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        made = ada.account.new_own_token("laptop")
        assert (made.summary.owner, made.summary.scope) == ("ada", Scope.COMPETITOR)
        listed = ada.account.list_own_tokens().items
        assert listed[0].name == "laptop"
        assert made.token not in repr(listed)
        with server.arena(made.token) as laptop:
            assert laptop.account.get_identity().token == "laptop"
            assert ada.account.revoke_own_token("laptop").revoked_at_us is not None
            with pytest.raises(LoginError, match="was revoked"):
                laptop.account.get_identity()


def test_an_owner_neither_sees_nor_revokes_the_tokens_of_others(server: RunningServer) -> None:
    bobs = server.token("bob", Scope.COMPETITOR)
    with server.arena(bobs) as bob, server.arena(server.token("ada", Scope.COMPETITOR)) as ada:
        theirs = bob.account.list_own_tokens().items[0]
        assert {one.owner for one in ada.account.list_own_tokens(limit=None).items} == {"ada"}
        for text in (theirs.id, theirs.name):
            with pytest.raises(RefusedError, match="no token"):
                ada.account.revoke_own_token(text)
        assert bob.account.get_identity().owner == "bob"


@pytest.mark.hostile("make-a-token-that-allows-more")
def test_no_token_makes_one_that_allows_more_or_holds_longer(server: RunningServer) -> None:
    end_us = time.time_ns() // 1000 + _DAY_US
    with server.arena(server.token("ada", Scope.COMPETITOR, end_us)) as ada:
        with pytest.raises(ForbiddenError, match="scope organiser"):
            ada.account.new_own_token("all", Scope.ORGANISER)
        with pytest.raises(ForbiddenError, match="expires earlier"):
            ada.account.new_own_token("longer", Scope.VIEWER, end_us + 1)
        assert ada.account.new_own_token("as-long", Scope.PLAYER).summary.expires_at_us == end_us
        assert ada.account.new_own_token("shorter", Scope.VIEWER, end_us - 1).summary.expires_at_us == end_us - 1


def test_who_only_looks_or_is_no_owner_has_no_tokens_of_his_own(server: RunningServer) -> None:
    with server.arena(server.token("ada", Scope.VIEWER)) as viewer, pytest.raises(ForbiddenError, match="competitor"):
        viewer.account.list_own_tokens()
    with server.arena() as organiser, pytest.raises(UnknownError, match="arena token list"):
        organiser.account.new_own_token("mine")


@pytest.mark.hostile("make-tokens-without-end")
def test_so_many_tokens_a_day_and_no_more(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_A_DAY", 3)
    with server.arena(server.token("cid", Scope.COMPETITOR)) as cid:
        for name in ("one", "two"):
            cid.account.new_own_token(name)
            cid.account.revoke_own_token(name)
        with pytest.raises(BusyError, match="3 tokens within a day"):
            cid.account.new_own_token("three")
