"""Owners, their tokens and invitations."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.errors import AccessDeniedError, AccountError, InvitationError, NotFoundError, RatingsError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import (
    authenticate,
    find_owner,
    list_invitations,
    list_owners,
    list_tokens,
    own_limits,
    token_of,
    worthless_tokens,
)
from ratings.store.database import Database, open_database
from ratings.store.identifiers import check_owner_name, new_code_text, new_token_text, now_us, token_digest
from ratings.values.states import Scope
from tests.ratings import book
from tests.support.databases import whole
from tests.support.texts import CHARACTERS

pytestmark = pytest.mark.both_databases

LATER = book.FOREVER


@pytest.fixture
def ledger(database: Database) -> ServiceLedger:
    return ServiceLedger(database)


@pytest.fixture
def ada(ledger: ServiceLedger) -> str:
    return ledger.add_owner("ada").id


@settings(max_examples=40)
@given(
    st.from_regex(r"[a-z0-9][a-z0-9_-]{0,39}", fullmatch=True, alphabet=CHARACTERS).filter(
        lambda name: name not in ("operator", "arena")
    )
)
def test_every_name_of_the_right_letters_can_be_an_owners(name: str) -> None:
    assert check_owner_name(name) == name


@settings(max_examples=40)
@given(st.text(CHARACTERS))
def test_no_other_name_can_be_an_owners(name: str) -> None:
    if set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_") and 0 < len(name) <= 40 and name[0] not in "-_":
        return
    with pytest.raises(AccountError) as refusal:
        check_owner_name(name)
    assert len(str(refusal.value).splitlines()) == 1


def test_a_token_opens_the_service_by_its_text_only_and_its_text_is_stored_nowhere(
    database: Database, ledger: ServiceLedger, ada: str, path: Path
) -> None:
    made = ledger.new_token("ada", name="laptop", scope=Scope.COMPETITOR)
    holder = authenticate(database, token_digest(made.secret))
    assert (holder.token.id, holder.owner and holder.owner.id) == (made.token.id, ada)
    with pytest.raises(AccessDeniedError):
        authenticate(database, token_digest(made.token.digest))
    database.close()
    kept = str(whole(path)).encode() + b"".join(file.read_bytes() for file in path.parent.glob("arena.db*"))
    assert made.token.digest.encode() in kept
    assert made.secret.encode() not in kept


def test_tokens_and_codes_are_never_the_same_twice_and_tell_what_they_are() -> None:
    made = {new_token_text() for _ in range(100)} | {new_code_text() for _ in range(100)}
    assert len(made) == 200
    assert {text[:4] for text in made} == {"kma_", "kmi_"}
    assert min(len(text) for text in made) >= 26


def test_an_organisers_token_needs_no_owner_and_a_viewers_none_either(
    database: Database, ledger: ServiceLedger
) -> None:
    for scope in (Scope.ORGANISER, Scope.VIEWER):
        made = ledger.new_token(None, name=scope.value, scope=scope)
        assert authenticate(database, token_digest(made.secret)).owner is None


def test_a_token_is_refused_once_it_is_revoked_has_expired_or_its_owner_is_disabled(
    database: Database, ledger: ServiceLedger, ada: str
) -> None:
    end = now_us() + 86_400_000_000
    made = ledger.new_token("ada", name="laptop", scope=Scope.COMPETITOR, expires_at_us=end)
    digest = token_digest(made.secret)
    assert authenticate(database, digest, end - 1).token.name == "laptop"
    with pytest.raises(AccessDeniedError, match="the token 'laptop' has expired; ask for a new one"):
        authenticate(database, digest, end)
    ledger.set_owner_disabled("ada", disabled=True)
    with pytest.raises(AccessDeniedError, match="owner 'ada' is disabled; ask the organiser"):
        authenticate(database, digest, end - 1)
    ledger.set_owner_disabled("ada", disabled=False)
    assert authenticate(database, digest, end - 1).owner
    ledger.revoke_token("laptop", owner="ada")
    with pytest.raises(AccessDeniedError, match="the token 'laptop' was revoked; ask for a new one"):
        authenticate(database, digest, end - 1)
    assert token_of(database, digest) is not None


def test_tokens_that_are_worth_nothing_any_more_are_found_at_once(database: Database, ledger: ServiceLedger) -> None:
    end = now_us() + 86_400_000_000
    made = {}
    for owner in ("ada", "bob", "eve"):
        ledger.add_owner(owner)
        made[owner] = token_digest(ledger.new_token(owner, name="bot", scope=Scope.PLAYER, expires_at_us=end).secret)
    asked = frozenset({*made.values(), "unknown"})
    assert worthless_tokens(database, asked, end - 1) == {"unknown"}
    ledger.set_owner_disabled("bob", disabled=True)
    ledger.revoke_token("bot", owner="eve")
    assert worthless_tokens(database, asked, end - 1) == {"unknown", made["bob"], made["eve"]}
    assert worthless_tokens(database, asked, end) == asked


def test_revoking_twice_is_once_and_frees_the_name(ledger: ServiceLedger, ada: str) -> None:
    token = ledger.new_token("ada", name="laptop", scope=Scope.COMPETITOR).token
    first = ledger.revoke_token(token.id, owner="ada").revoked_at_us
    assert first is not None
    assert ledger.revoke_token(token.id, of_anybody=True).revoked_at_us == first
    assert ledger.new_token("ada", name="laptop", scope=Scope.COMPETITOR).token.id != token.id


def test_nobody_revokes_anothers_token_but_the_organiser_by_its_id(ledger: ServiceLedger, ada: str) -> None:
    ledger.add_owner("eve")
    token = ledger.new_token("ada", name="laptop", scope=Scope.COMPETITOR).token
    for text in (token.id, "laptop"):
        with pytest.raises(NotFoundError, match=f"no token '{text}'; see: arena token list"):
            ledger.revoke_token(text, owner="eve")
    assert ledger.revoke_token(token.id, of_anybody=True).revoked_at_us


def test_the_use_of_tokens_is_noted_to_the_minute_and_never_goes_back(
    database: Database, ledger: ServiceLedger, ada: str
) -> None:
    ids = [ledger.new_token("ada", name=name, scope=Scope.VIEWER).token.id for name in ("a", "b", "c")]
    ledger.note_token_use([*ids[:2], "unknown"], at_us=200_000_000)
    ledger.note_token_use(ids[:1], at_us=100_000_000)
    assert [row.token.used_at_us for row in reversed(list_tokens(database).items)] == [180_000_000, 180_000_000, None]


def test_an_invitation_becomes_an_owner_and_a_token_once(database: Database, ledger: ServiceLedger) -> None:
    code = ledger.invite("ada", expires_at_us=LATER).code
    redeemed = ledger.redeem(code, token_name="laptop")
    holder = authenticate(database, token_digest(redeemed.secret))
    assert (holder.owner and holder.owner.name, holder.token.scope) == ("ada", Scope.COMPETITOR)
    with pytest.raises(InvitationError, match="this invitation for 'ada' was used already; ask the organiser"):
        ledger.redeem(code, token_name="other")
    (invitation,) = list_invitations(database).items
    assert invitation.owner_id == redeemed.owner.id
    assert len(list_tokens(database).items) == 1


def test_an_owner_who_is_there_gets_a_further_token(database: Database, ledger: ServiceLedger, ada: str) -> None:
    code = ledger.invite("ada", scope=Scope.PLAYER, expires_at_us=LATER).code
    assert ledger.redeem(code, token_name="rented").owner.id == ada


def test_a_name_that_is_taken_leaves_the_invitation_usable(ledger: ServiceLedger, ada: str) -> None:
    ledger.new_token("ada", name="laptop", scope=Scope.VIEWER)
    code = ledger.invite("ada", expires_at_us=LATER).code
    with pytest.raises(AccountError, match="has a token 'laptop' already"):
        ledger.redeem(code, token_name="laptop")
    assert ledger.redeem(code, token_name="tower").owner.id == ada


def test_of_several_who_redeem_at_once_one_gets_it(database: Database, ledger: ServiceLedger) -> None:
    code = ledger.invite("ada", expires_at_us=LATER).code
    barrier = Barrier(4)

    def redeem_with_the_others(_: int) -> str:
        own = open_database(database.url.render_as_string(hide_password=False))
        try:
            barrier.wait()
            return ServiceLedger(own).redeem(code, token_name="laptop").owner.name
        except RatingsError as error:
            return type(error).__name__
        finally:
            own.close()

    with ThreadPoolExecutor(4) as crowd:
        found = sorted(crowd.map(redeem_with_the_others, range(4)))
    assert found == ["InvitationError"] * 3 + ["ada"]
    assert len(list_tokens(database).items) == 1


Act = Callable[[ServiceLedger], object]
REFUSALS: list[tuple[Act, type[RatingsError], str]] = [
    (lambda led: led.add_owner("Ada"), AccountError, "'Ada' is no name for an owner; use 1 to 40 of a-z, 0-9"),
    (lambda led: led.add_owner("operator"), AccountError, "'operator' is what the arena calls itself"),
    (lambda led: led.add_owner("arena"), AccountError, "'arena' is what the arena calls itself, its operator or"),
    (lambda led: led.add_owner("ada"), AccountError, "there is an owner 'ada' already; choose another name"),
    (lambda led: led.set_owner_disabled("eve", disabled=True), NotFoundError, "no owner 'eve'; see: arena owner list"),
    (lambda led: led.set_owner_limits("eve", {}), NotFoundError, "no owner 'eve'"),
    (lambda led: led.new_token("eve", name="x", scope=Scope.VIEWER), NotFoundError, "no owner 'eve'"),
    (
        lambda led: led.new_token("off", name="x", scope=Scope.VIEWER),
        AccountError,
        "owner 'off' is disabled; the organiser can let them in again: arena owner disable off --undo",
    ),
    (
        lambda led: led.new_token("ada", name="x\ny", scope=Scope.VIEWER),
        AccountError,
        r"'x\\ny' is no name for a token; use 1 to 80 printable characters",
    ),
    (lambda led: led.new_token("ada", name=" ", scope=Scope.VIEWER), AccountError, "' ' is no name for a token"),
    (
        lambda led: led.new_token("ada", name="old", scope=Scope.VIEWER),
        AccountError,
        "owner 'ada' has a token 'old' already; revoke it, or choose another name",
    ),
    (
        lambda led: led.new_token(None, name="old", scope=Scope.ORGANISER),
        AccountError,
        "there is a token 'old' already; revoke it",
    ),
    (
        lambda led: led.new_token(None, name="x", scope=Scope.COMPETITOR),
        AccountError,
        "a token that is competitor's belongs to an owner; name one with --owner",
    ),
    (
        lambda led: led.new_token("ada", name="x", scope=Scope.VIEWER, expires_at_us=1),
        AccountError,
        "the token would have expired already; give an instant to come, or none",
    ),
    (lambda led: led.invite("Ada", expires_at_us=LATER), AccountError, "'Ada' is no name for an owner"),
    (lambda led: led.invite("off", expires_at_us=LATER), AccountError, "owner 'off' is disabled"),
    (lambda led: led.invite("new", expires_at_us=1), AccountError, "the invitation would have expired already"),
    (
        lambda led: led.redeem("kmi_wrong", token_name="x"),
        InvitationError,
        "this invitation code is not known here; copy it whole, or ask the organiser for a new one",
    ),
]


def test_what_cannot_be_is_refused_in_one_line(database: Database, ledger: ServiceLedger, ada: str) -> None:
    ledger.add_owner("off")
    ledger.set_owner_disabled("off", disabled=True)
    ledger.new_token("ada", name="old", scope=Scope.VIEWER)
    ledger.new_token(None, name="old", scope=Scope.ORGANISER)
    before = book.rows(database, "owner", "token", "invitation")
    for act, kind, message in REFUSALS:
        with pytest.raises(kind, match=message) as refusal:
            act(ledger)
        assert len(str(refusal.value).splitlines()) == 1
        assert book.rows(database, "owner", "token", "invitation") == before, message


def test_an_expired_invitation_says_so(
    ledger: ServiceLedger, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = now_us() + 60_000_000
    code = ledger.invite("ada", expires_at_us=end).code
    monkeypatch.setattr("ratings.ledger.accounts.now_us", lambda: end)
    with pytest.raises(InvitationError, match="this invitation for 'ada' has expired; ask the organiser"):
        ledger.redeem(code, token_name="x")
    assert list_owners(database).items == ()
    with pytest.raises(AccountError, match="the invitation would have expired already"):
        ledger.invite("ada", expires_at_us=end)
    monkeypatch.setattr("ratings.ledger.accounts.now_us", lambda: end - 1)
    assert ledger.redeem(code, token_name="x").owner.name == "ada"


def test_limits_of_an_owner_are_set_one_by_one_and_reset_together(
    database: Database, ledger: ServiceLedger, ada: str
) -> None:
    assert ledger.set_owner_limits("ada", {"versions": 3}).limits == {"versions": 3}
    assert ledger.set_owner_limits("ada", {"stored_mb": 0}).limits == {"versions": 3, "stored_mb": 0}
    assert ledger.set_owner_limits("ada", {"versions": 5}, resets=True).limits == {"versions": 5}
    assert own_limits(database) == {"ada": {"versions": 5}}
    assert ledger.set_owner_limits("ada", {}, resets=True).limits is None
    assert find_owner(database, "ada").limits is None
    assert own_limits(database) == {}


def test_a_limit_that_cannot_be_is_refused_with_the_nearest(ledger: ServiceLedger, ada: str) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"version": 3}, r"there is no limit 'version'; did you mean 'versions'\?"),
        ({"x": 3}, "there is no limit 'x'; there are uploads_per_hour, versions"),
        ({"versions": -1}, "the limit versions = -1 is no whole number, 0 to "),
        ({"versions": True}, "versions = True is no whole number"),
        ({"versions": 1.5}, "versions = 1.5 is no whole number"),
    ]
    for limits, said in refused:
        with pytest.raises(AccountError, match=said):
            ledger.set_owner_limits("ada", limits)


def test_owners_are_listed_page_by_page_the_newest_first(database: Database, ledger: ServiceLedger) -> None:
    for name in ("ada", "bob", "cyd"):
        ledger.add_owner(name)
    Ledger(database).add_version(bot="fox", owner="bob", content_hash="aa", manifest={})
    Ledger(database).add_version(bot="fox", owner="bob", content_hash="bb", manifest={})
    first = list_owners(database, limit=2)
    assert [(row.owner.name, row.bots, row.versions) for row in first.items] == [("cyd", 0, 0), ("bob", 1, 2)]
    second = list_owners(database, limit=2, after=first.next)
    assert ([row.owner.name for row in second.items], second.next) == (["ada"], None)


def test_tokens_are_listed_of_one_owner_or_of_all(database: Database, ledger: ServiceLedger, ada: str) -> None:
    ledger.new_token("ada", name="laptop", scope=Scope.COMPETITOR)
    ledger.new_token(None, name="root", scope=Scope.ORGANISER)
    assert [(row.token.name, row.owner) for row in list_tokens(database).items] == [("root", None), ("laptop", "ada")]
    assert [row.token.name for row in list_tokens(database, owner_id=ada).items] == ["laptop"]
