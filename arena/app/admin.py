"""Owners, their tokens and invitations, over a database."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from arena.app.rights import need_organiser
from arena.app.token_values import token_summary
from arena.app.viewer import Viewer
from arena.model.accounts import (
    InvitationSummary,
    NewInvitation,
    NewToken,
    OwnerSummary,
    TokenSummary,
)
from arena.model.page import DEFAULT_LIMIT, Page
from ratings.ledger.service import ServiceLedger
from ratings.read import accounts
from ratings.store.database import Database
from ratings.store.models import Owner
from ratings.store.service import Invitation
from ratings.store.states import Scope

_WEEK_US = 7 * 24 * 3600 * 1_000_000


class AdminHere:
    """Implements the interface `arena.model.port.Admin`."""

    def __init__(self, database: Database, viewer: Viewer) -> None:
        need_organiser(viewer, "manage owners and tokens")
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
        return Page(tuple(map(_invitation_summary, page.items)), page.next)

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


class EntranceHere:
    """Implements the interface `arena.model.port.Entrance`."""

    def __init__(self, database: Database) -> None:
        self._ledger = ServiceLedger(database)

    def redeem_invitation(self, code: str, token_name: str) -> NewToken:
        redeemed = self._ledger.redeem(code, token_name=token_name)
        return NewToken(redeemed.secret, token_summary(redeemed.token, redeemed.owner.name))


def _owner_summary(owner: Owner, bots: int) -> OwnerSummary:
    return OwnerSummary(owner.name, owner.created_at_us, owner.disabled_at_us, bots, owner.limits or {})


def _invitation_summary(invitation: Invitation) -> InvitationSummary:
    return InvitationSummary(
        id=invitation.id,
        owner=invitation.owner_name,
        scope=invitation.scope,
        created_at_us=invitation.created_at_us,
        expires_at_us=invitation.expires_at_us,
        used_at_us=invitation.used_at_us,
    )
