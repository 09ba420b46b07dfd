"""Writes owners, their tokens and invitations, and the notices they receive."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, select

from engine.translatable import Text, did_you_mean
from ratings.errors import AccountError, InvitationError, NotFoundError
from ratings.store import tables
from ratings.store.identifiers import (
    check_label,
    check_owner_name,
    new_code_text,
    new_id,
    new_token_text,
    now_us,
    token_digest,
)
from ratings.store.models import OwnerRecord, with_text
from ratings.store.service import InvitationRecord, NoticeRecord, TokenRecord
from ratings.store.sessions import get_owner, save
from ratings.values.owners import LIMITS, MOST, PEOPLE
from ratings.values.states import Scope

_MINUTE_US = 60_000_000
_ASK = Text("ask the organiser for a new one")


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token that was just made."""

    token: TokenRecord
    secret: str
    """What its holder keeps; it is shown once, and only its hash is stored."""


def add_owner(session: Session, name: str) -> OwnerRecord:
    """Write a new owner. Raises AccountError for a name that is taken or cannot be."""
    check_owner_name(name)
    if _find_owner(session, name) is not None:
        raise AccountError(Text("there is an owner {name} already; choose another name", name=repr(name)))
    return _write_owner(session, name)


def people_owner(session: Session) -> OwnerRecord:
    """Return the owner of the seats that people take, which is made if needed."""
    return _find_owner(session, PEOPLE) or _write_owner(session, PEOPLE)


def _write_owner(session: Session, name: str) -> OwnerRecord:
    return save(session, OwnerRecord(id=new_id(), name=name, created_at_us=now_us()))


def owner_for(session: Session, name: str) -> OwnerRecord:
    """Return the owner of that name, who is made if needed. Raises AccountError for a disabled one and for the name."""
    owner = _find_owner(session, name)
    if owner is None:
        return add_owner(session, name)
    check_enabled(owner)
    return owner


def check_enabled(owner: OwnerRecord) -> None:
    """Raise AccountError for an owner who is disabled."""
    if owner.disabled_at_us is not None:
        raise AccountError(
            Text(
                "owner {owner} is disabled; the organiser can let them in again: arena owner disable {name} --undo",
                owner=repr(owner.name),
                name=owner.name,
            )
        )


def set_owner_disabled(session: Session, name: str, *, disabled: bool) -> OwnerRecord:
    """Bar an owner from the service, or let them in again. Raises NotFoundError."""
    owner = get_owner(session, name)
    if disabled != (owner.disabled_at_us is not None):
        owner.disabled_at_us = now_us() if disabled else None
        save(session, owner)
    return owner


def set_owner_limits(session: Session, name: str, limits: Mapping[str, Any], *, resets: bool = False) -> OwnerRecord:
    """Give an owner limits of their own; those not named stay, or are again those of all owners if it `resets`.

    Raises NotFoundError, and AccountError for a name that is no limit or a number that cannot be.
    """
    for key, number in limits.items():
        if key not in LIMITS:
            guess = did_you_mean(key, LIMITS) or Text("there are {names}", names=", ".join(LIMITS))
            raise AccountError(Text("there is no limit {name}; {remedy}", name=repr(key), remedy=guess))
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MOST:
            raise AccountError(
                Text(
                    "the limit {name} = {value} is no whole number, 0 to {most}; 0 stands for no limit",
                    name=key,
                    value=repr(number),
                    most=MOST,
                )
            )
    owner = get_owner(session, name)
    owner.limits = {**({} if resets else owner.limits or {}), **limits} or None
    return save(session, owner)


def new_token(
    session: Session, owner: OwnerRecord | None, *, name: str, scope: Scope, expires_at_us: int | None = None
) -> IssuedToken:
    """Write a new token; one without owner is an organiser's.

    Raises AccountError for a name that cannot be or that another of the owner's tokens in use has, an instant that has
    passed, a disabled owner, and a token without owner that is no organiser's.
    """
    check_label(Text("a token"), name)
    if owner is not None:
        check_enabled(owner)
    elif scope not in (Scope.ORGANISER, Scope.VIEWER):
        raise AccountError(
            Text("a token that is {scope}'s belongs to an owner; name one with --owner", scope=scope.value)
        )
    if expires_at_us is not None and expires_at_us <= now_us():
        raise AccountError(Text("the token would have expired already; give an instant to come, or none"))
    if _tokens_named(session, owner, name):
        if owner is None:
            raise AccountError(
                Text("there is a token {name} already; revoke it, or choose another name", name=repr(name))
            )
        raise AccountError(
            Text(
                "owner {owner} has a token {name} already; revoke it, or choose another name",
                owner=repr(owner.name),
                name=repr(name),
            )
        )
    secret = new_token_text()
    token = TokenRecord(
        id=new_id(),
        owner_id=owner.id if owner else None,
        name=name,
        scope=scope,
        digest=token_digest(secret),
        created_at_us=now_us(),
        expires_at_us=expires_at_us,
    )
    save(session, token)
    return IssuedToken(token, secret)


def _tokens_named(session: Session, owner: OwnerRecord | None, name: str) -> list[TokenRecord]:
    """Return the tokens of that name that are not revoked: of an owner, or of the organiser."""
    query = select(TokenRecord).where(TokenRecord.name == name, TokenRecord.owner_id == (owner.id if owner else None))
    return [token for token in session.exec(query) if token.revoked_at_us is None]


def revoke_token(session: Session, text: str, owner: OwnerRecord | None, *, of_anybody: bool) -> TokenRecord:
    """Revoke the token of that id, or of that name among those of `owner` (the organiser's own if `None`).

    With `of_anybody`, the id may be that of any token. One that is revoked already stays as it is. Raises
    NotFoundError.
    """
    token = session.get(TokenRecord, text)
    if token is not None and not of_anybody and token.owner_id != (owner.id if owner else None):
        token = None
    if token is None:
        named = _tokens_named(session, owner, text)
        if not named:
            raise NotFoundError(Text("no token {name}; see: arena token list", name=repr(text)))
        token = named[0]
    if token.revoked_at_us is None:
        token.revoked_at_us = now_us()
        save(session, token)
    return token


def note_token_use(session: Session, ids: Collection[str], at_us: int) -> None:
    """Write that tokens were used, to the minute; ids that are unknown are left out."""
    minute = at_us // _MINUTE_US * _MINUTE_US
    token = tables.token
    session.connection().execute(
        update(token)
        .where(token.c.id.in_(ids), token.c.used_at_us.is_(None) | (token.c.used_at_us < minute))
        .values(used_at_us=minute)
    )
    session.expire_all()


@dataclass(frozen=True, slots=True)
class IssuedInvitation:
    """An invitation that was just made."""

    invitation: InvitationRecord
    code: str
    """What the invited person types; it is shown once, and only its hash is stored."""


@dataclass(frozen=True, slots=True)
class Redeemed:
    """What became of an invitation."""

    owner: OwnerRecord
    token: TokenRecord
    secret: str
    """The token itself, shown once."""


def invite(session: Session, owner_name: str, *, scope: Scope, expires_at_us: int) -> IssuedInvitation:
    """Write an invitation for an owner, who need not exist yet.

    Raises AccountError for a name that cannot be, a disabled owner, and an instant that has passed.
    """
    check_owner_name(owner_name)
    known = _find_owner(session, owner_name)
    if known is not None:
        check_enabled(known)
    if expires_at_us <= now_us():
        raise AccountError(Text("the invitation would have expired already; give an instant to come"))
    code = new_code_text()
    invitation = InvitationRecord(
        id=new_id(),
        owner_name=owner_name,
        scope=scope,
        digest=token_digest(code),
        created_at_us=now_us(),
        expires_at_us=expires_at_us,
    )
    save(session, invitation)
    return IssuedInvitation(invitation, code)


def redeem(session: Session, code: str, *, token_name: str) -> Redeemed:
    """Make a code the owner and the token that it promises; it works once, whoever else tries at the same time.

    Raises InvitationError for a code that is unknown, used or expired, AccountError for a disabled owner or a name that
    the token cannot have.
    """
    invitation = session.exec(
        select(InvitationRecord).where(InvitationRecord.digest == token_digest(code))
    ).one_or_none()
    if invitation is None:
        raise InvitationError(Text("this invitation code is not known here; copy it whole, or {remedy}", remedy=_ASK))
    if invitation.used_at_us is not None:
        raise InvitationError(
            Text("this invitation for {name} was used already; {remedy}", name=repr(invitation.owner_name), remedy=_ASK)
        )
    if invitation.expires_at_us <= now_us():
        raise InvitationError(
            Text("this invitation for {name} has expired; {remedy}", name=repr(invitation.owner_name), remedy=_ASK)
        )
    owner = _find_owner(session, invitation.owner_name) or add_owner(session, invitation.owner_name)
    made: IssuedToken = new_token(session, owner, name=token_name, scope=invitation.scope)
    table = tables.invitation
    # Where a database allows several writers, the condition lets one of them pass.
    marked = session.connection().execute(
        update(table)
        .where(table.c.id == invitation.id, table.c.used_at_us.is_(None))
        .values(used_at_us=now_us(), owner_id=owner.id)
    )
    if marked.rowcount != 1:
        raise InvitationError(
            Text("this invitation for {name} was used already; {remedy}", name=repr(invitation.owner_name), remedy=_ASK)
        )
    session.refresh(invitation)
    return Redeemed(owner, made.token, made.secret)


def _find_owner(session: Session, name: str) -> OwnerRecord | None:
    return session.exec(select(OwnerRecord).where(OwnerRecord.name == name)).one_or_none()


def add_notice(session: Session, owner_id: str | None, subject: str, sentence: str) -> NoticeRecord:
    """Write something that an owner is told; `None` for everybody."""
    notice = NoticeRecord(
        id=new_id(), owner_id=owner_id, at_us=now_us(), subject=subject, **with_text("sentence", sentence)
    )
    return save(session, notice)


def instant(at_us: int) -> str:
    """Return an instant as people write it: UTC, to the minute."""
    return f"{datetime.fromtimestamp(at_us / 1_000_000, UTC):%Y-%m-%d %H:%M} UTC"
