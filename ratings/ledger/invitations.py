"""Writes invitations: one-time codes that become an owner and a token."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import update
from sqlmodel import Session, select

from engine.text import Text
from ratings.errors import AccountError, InvitationError
from ratings.ledger.accounts import IssuedToken, add_owner, check_enabled, new_token
from ratings.store import tables
from ratings.store.identifiers import check_owner_name, new_code_text, new_id, now_us, token_digest
from ratings.store.models import OwnerRecord
from ratings.store.service import InvitationRecord, TokenRecord
from ratings.values.states import Scope

_ASK = Text("ratings.ask_organiser_new_one", "ask the organiser for a new one")


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
        raise AccountError(
            Text(
                "ratings.invitation_would_expired_already_give",
                "the invitation would have expired already; give an instant to come",
            )
        )
    code = new_code_text()
    invitation = InvitationRecord(
        id=new_id(),
        owner_name=owner_name,
        scope=scope,
        digest=token_digest(code),
        created_at_us=now_us(),
        expires_at_us=expires_at_us,
    )
    session.add(invitation)
    session.flush()
    return IssuedInvitation(invitation, code)


def redeem(session: Session, code: str, *, token_name: str) -> Redeemed:
    """Make a code the owner and the token that it promises; it works once, whoever else tries at the same time.

    Raises InvitationError for a code that is unknown, used or expired, AccountError for a disabled owner or a name that
    the token cannot have.
    """
    invitation = _usable(session, code)
    owner = _find_owner(session, invitation.owner_name) or add_owner(session, invitation.owner_name)
    made: IssuedToken = new_token(session, owner, name=token_name, scope=invitation.scope)
    _mark_used(session, invitation, owner)
    return Redeemed(owner, made.token, made.secret)


def _usable(session: Session, code: str) -> InvitationRecord:
    found = session.exec(select(InvitationRecord).where(InvitationRecord.digest == token_digest(code))).one_or_none()
    if found is None:
        raise InvitationError(
            Text(
                "ratings.invitation_code_not_known_here",
                "this invitation code is not known here; copy it whole, or {remedy}",
                remedy=_ASK,
            )
        )
    if found.used_at_us is not None:
        raise InvitationError(
            Text(
                "ratings.invitation_used_already",
                "this invitation for {name} was used already; {remedy}",
                name=repr(found.owner_name),
                remedy=_ASK,
            )
        )
    if found.expires_at_us <= now_us():
        raise InvitationError(
            Text(
                "ratings.invitation_expired",
                "this invitation for {name} has expired; {remedy}",
                name=repr(found.owner_name),
                remedy=_ASK,
            )
        )
    return found


def _mark_used(session: Session, invitation: InvitationRecord, owner: OwnerRecord) -> None:
    table = tables.invitation
    # Where a database allows several writers, the condition lets one of them pass.
    marked = session.connection().execute(
        update(table)
        .where(table.c.id == invitation.id, table.c.used_at_us.is_(None))
        .values(used_at_us=now_us(), owner_id=owner.id)
    )
    if marked.rowcount != 1:
        raise InvitationError(
            Text(
                "ratings.invitation_used_already",
                "this invitation for {name} was used already; {remedy}",
                name=repr(invitation.owner_name),
                remedy=_ASK,
            )
        )
    session.refresh(invitation)


def _find_owner(session: Session, name: str) -> OwnerRecord | None:
    return session.exec(select(OwnerRecord).where(OwnerRecord.name == name)).one_or_none()
