"""Owners, their tokens and invitations, the notices they receive, and who holds a token."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func
from sqlmodel import col, select

from engine.translatable import Text
from ratings.errors import AccessDeniedError
from ratings.read.paging import Order, cut, one_page
from ratings.store import tables
from ratings.store.identifiers import now_us
from ratings.store.models import BotRecord, OwnerRecord, VersionRecord
from ratings.store.service import InvitationRecord, NoticeRecord, TokenRecord
from ratings.store.sessions import Source, get_owner, read
from ratings.values.page import DEFAULT_LIMIT, Page

_OWNERS = Order("owners", (tables.owner.c.id,), (str,))
_TOKENS = Order("tokens", (tables.token.c.id,), (str,))
_INVITATIONS = Order("invitations", (tables.invitation.c.id,), (str,))
_BOTS = select(func.count()).select_from(BotRecord).where(BotRecord.owner_id == OwnerRecord.id).scalar_subquery()
_VERSIONS = (
    select(func.count())
    .select_from(VersionRecord)
    .join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id)
    .where(BotRecord.owner_id == OwnerRecord.id)
    .scalar_subquery()
)
_OWNER_ROWS = select(OwnerRecord, _BOTS, _VERSIONS)
_NEW_ONE = Text("ask for a new one")
_NOTICES = Order("notices", (tables.notice.c.id,), (str,))


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """A token and whose it is; `None` for one of the organiser's own."""

    token: TokenRecord
    owner: OwnerRecord | None


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """An owner with the number of their bots and of all their versions."""

    owner: OwnerRecord
    bots: int
    versions: int


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token with the name of its owner; `None` for one of the organiser's own."""

    token: TokenRecord
    owner: str | None


def token_of(source: Source, digest: str) -> TokenHolder | None:
    """Return the token of that digest, with its owner, or `None`; it may be revoked or expired."""
    query = select(TokenRecord, OwnerRecord).join(
        OwnerRecord, col(OwnerRecord.id) == col(TokenRecord.owner_id), isouter=True
    )
    with read(source) as session:
        found = session.exec(query.where(TokenRecord.digest == digest)).one_or_none()
        return None if found is None else TokenHolder(*found)


def authenticate(source: Source, digest: str, at_us: int | None = None) -> TokenHolder:
    """Return whose token has that digest. Raises AccessDeniedError if it does not, or no longer, open the service."""
    holder = token_of(source, digest)
    if holder is None:
        raise AccessDeniedError(Text("this token is not known here; copy it whole, or {remedy}", remedy=_NEW_ONE))
    token, owner = holder.token, holder.owner
    if token.revoked_at_us is not None:
        raise AccessDeniedError(Text("the token {name} was revoked; {remedy}", name=repr(token.name), remedy=_NEW_ONE))
    if token.expires_at_us is not None and token.expires_at_us <= (now_us() if at_us is None else at_us):
        raise AccessDeniedError(Text("the token {name} has expired; {remedy}", name=repr(token.name), remedy=_NEW_ONE))
    if owner is not None and owner.disabled_at_us is not None:
        raise AccessDeniedError(Text("owner {owner} is disabled; ask the organiser", owner=repr(owner.name)))
    return holder


def worthless_tokens(source: Source, digests: Collection[str], at_us: int | None = None) -> frozenset[str]:
    """Return those of some tokens, by their digests, that do not, or no longer, open the service."""
    now = now_us() if at_us is None else at_us
    good = (
        select(TokenRecord.digest)
        .join(OwnerRecord, col(OwnerRecord.id) == TokenRecord.owner_id, isouter=True)
        .where(
            col(TokenRecord.digest).in_(digests),
            col(TokenRecord.revoked_at_us).is_(None),
            col(OwnerRecord.disabled_at_us).is_(None),
        )
        .where(col(TokenRecord.expires_at_us).is_(None) | (col(TokenRecord.expires_at_us) > now))
    )
    with read(source) as session:
        worthy = session.exec(good).all()
    return frozenset(digests) - frozenset(worthy)


def owner_name_of(source: Source, token: TokenRecord) -> str | None:
    """Return the name of the owner of a token; `None` for one of the organiser's own."""
    if token.owner_id is None:
        return None
    with read(source) as session:
        return session.exec(select(OwnerRecord.name).where(OwnerRecord.id == token.owner_id)).one()


def find_owner(source: Source, name: str) -> OwnerRecord:
    """Return the owner of that name. Raises NotFoundError."""
    with read(source) as session:
        return get_owner(session, name)


def owner_row(source: Source, name: str) -> OwnerRow:
    """Return the owner of that name with the number of their bots and versions. Raises NotFoundError."""
    with read(source) as session:
        row = session.exec(_OWNER_ROWS.where(OwnerRecord.id == get_owner(session, name).id)).one()
    return OwnerRow(*row)


def stored_versions(source: Source, owner_id: str) -> list[str]:
    """Return the content hashes of the versions of an owner whose files are kept here, each once."""
    query = select(VersionRecord.content_hash).join(BotRecord, col(BotRecord.id) == VersionRecord.bot_id).distinct()
    with read(source) as session:
        kept = query.where(col(VersionRecord.files_removed_at_us).is_(None), ~col(BotRecord.remote))
        return list(session.exec(kept.where(BotRecord.owner_id == owner_id)))


def own_limits(source: Source) -> dict[str, Mapping[str, Any]]:
    """Return what differs from the limits that all owners have, by the name of each owner for whom something does."""
    query = select(OwnerRecord.name, OwnerRecord.limits).where(col(OwnerRecord.limits).is_not(None))
    with read(source) as session:
        return {name: limits for name, limits in session.exec(query) if limits}


def list_owners(source: Source, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[OwnerRow]:
    """Return the owners, the newest first, disabled ones too. Raises PageError."""
    query = one_page(_OWNER_ROWS, _OWNERS, limit, after)
    with read(source) as session:
        rows = [OwnerRow(*row) for row in session.exec(query)]
    return cut(rows, _OWNERS, limit, lambda row: (row.owner.id,))


def list_tokens(
    source: Source, *, owner_id: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[TokenRow]:
    """Return the tokens of an owner, or all of them, the newest first, revoked ones too. Raises PageError."""
    query = select(TokenRecord, OwnerRecord.name).join(
        OwnerRecord, col(OwnerRecord.id) == col(TokenRecord.owner_id), isouter=True
    )
    if owner_id is not None:
        query = query.where(TokenRecord.owner_id == owner_id)
    with read(source) as session:
        rows = [TokenRow(*row) for row in session.exec(one_page(query, _TOKENS, limit, after))]
    return cut(rows, _TOKENS, limit, lambda row: (row.token.id,))


def count_tokens_since(source: Source, owner_id: str, since_us: int) -> int:
    """Return how many tokens of an owner were made since an instant, revoked ones too."""
    query = (
        select(func.count())
        .select_from(TokenRecord)
        .where(TokenRecord.owner_id == owner_id, TokenRecord.created_at_us >= since_us)
    )
    with read(source) as session:
        return session.exec(query).one()


def list_invitations(
    source: Source, *, limit: int | None = DEFAULT_LIMIT, after: str | None = None
) -> Page[InvitationRecord]:
    """Return the invitations, the newest first, used ones too. Raises PageError."""
    with read(source) as session:
        rows = session.exec(one_page(select(InvitationRecord), _INVITATIONS, limit, after)).all()
    return cut(rows, _INVITATIONS, limit, lambda row: (row.id,))


def list_notices(
    source: Source,
    *,
    owner_id: str | None = None,
    everybodys: bool = False,
    limit: int | None = DEFAULT_LIMIT,
    after: str | None = None,
) -> Page[NoticeRecord]:
    """Return what is for everybody, and for one owner if named, the newest first; with `everybodys`, all notices.

    Raises PageError.
    """
    query = select(NoticeRecord)
    if not everybodys:
        is_his = col(NoticeRecord.owner_id) == owner_id
        query = query.where(
            col(NoticeRecord.owner_id).is_(None) | is_his if owner_id else col(NoticeRecord.owner_id).is_(None)
        )
    with read(source) as session:
        rows = session.exec(one_page(query, _NOTICES, limit, after)).all()
    return cut(rows, _NOTICES, limit, lambda row: (row.id,))
