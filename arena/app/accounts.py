"""Owners, their tokens, invitations and limits: what an owner may know and do, and what an organiser manages."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from arena.app.policy import AppContext, Viewer, need_competitor, need_organiser
from arena.hosting.store import VersionStore
from arena.model.accounts import (
    Identity,
    InvitationSummary,
    NewInvitation,
    NewToken,
    Notice,
    OwnerSummary,
    OwnerUsage,
    TokenSummary,
)
from arena.model.errors import ForbiddenError, UnknownError
from engine.translatable import Text, text_from_json
from ratings.errors import LimitError
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read import accounts
from ratings.read.accounts import count_tokens_since, list_notices, list_tokens
from ratings.store.database import Database
from ratings.store.identifiers import now_us
from ratings.store.models import OwnerRecord
from ratings.store.service import TokenRecord
from ratings.values.owners import LIMITS, OwnerLimits
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import Scope

MOST_A_DAY = 50
"""How many tokens an owner may make within a day, those that were revoked meanwhile included."""
_DAY_US = 24 * 3600 * 1_000_000
_WEEK_US = 7 * 24 * 3600 * 1_000_000


class LocalAccount:
    """Implements the interface `arena.model.port.Account`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def get_identity(self) -> Identity:
        viewer, port = self._context.viewer, self._context.play_port()
        return Identity(viewer.scope, viewer.owner_name, viewer.token, viewer.expires_at_us, play_port=port)

    def get_usage(self, owner: str | None = None) -> OwnerUsage:
        context, viewer = self._context, self._context.viewer
        if owner not in (None, viewer.owner_name):
            need_organiser(viewer, Text("see what another owner has"))
        if owner is None and (owner := viewer.owner_name) is None:
            raise UnknownError(
                Text("only an owner has limits, and whoever asks is none; name one: arena owner show NAME")
            )
        return (context.usage or StoredUsage(context.database, context.programs.store)).usage(owner)

    def list_notices(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Notice]:
        viewer = self._context.viewer
        page = list_notices(
            self._context.database, owner_id=viewer.owner_id, everybodys=viewer.is_organiser, limit=limit, after=after
        )
        notices = (
            Notice(
                row.id, row.at_us, row.subject, text_from_json(row.sentence, row.sentence_text), row.owner_id is None
            )
            for row in page.items
        )
        return Page(tuple(notices), page.next)

    def list_own_tokens(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TokenSummary]:
        owner_id, _ = _owner_of(self._context.viewer)
        page = list_tokens(self._context.database, owner_id=owner_id, limit=limit, after=after)
        return Page(tuple(token_summary(row.token, row.owner) for row in page.items), page.next)

    def new_own_token(self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None) -> NewToken:
        owner_id, owner = _owner_of(self._context.viewer)
        if scope is Scope.ORGANISER and not self._context.viewer.is_organiser:
            raise ForbiddenError(
                Text("only an organiser's token can make one of scope {scope}; ask the organiser", scope=scope.value)
            )
        ends_us = self._context.viewer.expires_at_us
        if expires_at_us is not None and ends_us is not None and expires_at_us > ends_us:
            raise ForbiddenError(
                Text(
                    "the token {name} expires earlier, and none that it makes holds longer; choose an earlier end, "
                    "or ask the organiser",
                    name=repr(self._context.viewer.token),
                )
            )
        ends_at_us = ends_us if expires_at_us is None else expires_at_us
        if count_tokens_since(self._context.database, owner_id, now_us() - _DAY_US) >= MOST_A_DAY:
            raise LimitError(
                Text(
                    "{owner} made {most} tokens within a day; go on tomorrow, or use those there are",
                    owner=owner,
                    most=MOST_A_DAY,
                )
            )
        made = ServiceLedger(self._context.database).new_token(owner, name=name, scope=scope, expires_at_us=ends_at_us)
        return NewToken(made.secret, token_summary(made.token, owner))

    def revoke_own_token(self, token: str) -> TokenSummary:
        _, owner = _owner_of(self._context.viewer)
        return token_summary(ServiceLedger(self._context.database).revoke_token(token, owner=owner), owner)


def token_summary(token: TokenRecord, owner: str | None) -> TokenSummary:
    """Return what may be shown of a token, given the name of its owner; `None` for one of the organiser's own."""
    return TokenSummary(
        id=token.id,
        owner=owner,
        name=token.name,
        scope=token.scope,
        created_at_us=token.created_at_us,
        expires_at_us=token.expires_at_us,
        revoked_at_us=token.revoked_at_us,
        used_at_us=token.used_at_us,
    )


def _owner_of(viewer: Viewer) -> tuple[str, str]:
    """Return id and name of the owner who is asking. Raises UnknownError, and ForbiddenError for who only looks."""
    need_competitor(viewer, "manage tokens")
    if viewer.owner_id is None or viewer.owner_name is None:
        raise UnknownError(Text("only an owner has tokens of his own, and whoever asks is none; see: arena token list"))
    return viewer.owner_id, viewer.owner_name


class StoredUsage:
    """Counts what owners have. Sizes are remembered, for a version never changes; several threads may share it."""

    def __init__(self, database: Database, store: VersionStore, common: OwnerLimits | None = None) -> None:
        """`common` are the limits that all owners have."""
        self._database = database
        self._store = store
        self._common = common or OwnerLimits()
        self._sizes: dict[str, int] = {}

    def limits_of(self, owner: str) -> OwnerLimits:
        """Return what an owner may have. Raises NotFoundError."""
        return self._common.with_own(accounts.find_owner(self._database, owner).limits)

    def sizes_of(self, owner: str) -> dict[str, int]:
        """Return the bytes of each version of an owner that is kept, by content hash. Raises NotFoundError."""
        hashes = accounts.stored_versions(self._database, accounts.find_owner(self._database, owner).id)
        return {content_hash: self.size(content_hash) for content_hash in hashes}

    def size(self, content_hash: str) -> int:
        """Return the bytes of a version; 0 if it is not in the store. Raises StoreError."""
        known = self._sizes.get(content_hash) or self._store.stored_bytes(content_hash)
        self._sizes[content_hash] = known
        return known

    def usage(self, owner: str) -> OwnerUsage:
        """Return what an owner has and may have. Raises NotFoundError."""
        row = accounts.owner_row(self._database, owner)
        own = row.owner.limits or {}
        return OwnerUsage(
            owner=row.owner.name,
            limits=self._common.with_own(own),
            own=tuple(name for name in LIMITS if name in own),
            bots=row.bots,
            versions=row.versions,
            stored_bytes=sum(self.sizes_of(owner).values()),
            note_bytes=row.owner.note_bytes or 0,
        )


class LocalAdmin:
    """Implements the interface `arena.model.port.Admin`."""

    def __init__(self, database: Database, viewer: Viewer) -> None:
        need_organiser(viewer, Text("manage owners and tokens"))
        self._database = database
        self._ledger = ServiceLedger(database)

    def add_owner(self, name: str) -> OwnerSummary:
        return _owner_summary(self._ledger.add_owner(name), 0)

    def list_owners(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[OwnerSummary]:
        page = accounts.list_owners(self._database, limit=limit, after=after)
        return Page(tuple(_owner_summary(row.owner, row.bots) for row in page.items), page.next)

    def set_owner_disabled(self, name: str, disabled: bool) -> OwnerSummary:
        owner = self._ledger.set_owner_disabled(name, disabled=disabled)
        return _owner_summary(owner, accounts.owner_row(self._database, owner.name).bots)

    def set_owner_limits(self, name: str, limits: Mapping[str, Any], resets: bool = False) -> OwnerSummary:
        owner = self._ledger.set_owner_limits(name, limits, resets=resets)
        return _owner_summary(owner, accounts.owner_row(self._database, owner.name).bots)

    def invite_owner(
        self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None
    ) -> NewInvitation:
        if expires_at_us is None:
            expires_at_us = time.time_ns() // 1000 + _WEEK_US
        made = self._ledger.invite(name, scope=scope, expires_at_us=expires_at_us)
        return NewInvitation(made.code, name, scope, expires_at_us)

    def list_invitations(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[InvitationSummary]:
        page = accounts.list_invitations(self._database, limit=limit, after=after)
        invitations = (
            InvitationSummary(
                id=row.id,
                owner=row.owner_name,
                scope=row.scope,
                created_at_us=row.created_at_us,
                expires_at_us=row.expires_at_us,
                used_at_us=row.used_at_us,
            )
            for row in page.items
        )
        return Page(tuple(invitations), page.next)

    def new_token(self, owner: str | None, name: str, scope: Scope, expires_at_us: int | None = None) -> NewToken:
        made = self._ledger.new_token(owner, name=name, scope=scope, expires_at_us=expires_at_us)
        return NewToken(made.secret, token_summary(made.token, owner))

    def list_tokens(
        self, owner: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[TokenSummary]:
        owner_id = None if owner is None else accounts.find_owner(self._database, owner).id
        page = accounts.list_tokens(self._database, owner_id=owner_id, limit=limit, after=after)
        return Page(tuple(token_summary(row.token, row.owner) for row in page.items), page.next)

    def revoke_token(self, token: str, owner: str | None = None) -> TokenSummary:
        revoked = self._ledger.revoke_token(token, owner=owner, of_anybody=owner is None)
        return token_summary(revoked, accounts.owner_name_of(self._database, revoked))


class LocalEntrance:
    """Implements the interface `arena.model.port.Entrance`."""

    def __init__(self, database: Database) -> None:
        self._ledger = ServiceLedger(database)

    def redeem_invitation(self, code: str, token_name: str) -> NewToken:
        redeemed = self._ledger.redeem(code, token_name=token_name)
        return NewToken(redeemed.secret, token_summary(redeemed.token, redeemed.owner.name))


def _owner_summary(owner: OwnerRecord, bots: int) -> OwnerSummary:
    return OwnerSummary(owner.name, owner.created_at_us, owner.disabled_at_us, bots, owner.limits or {})
