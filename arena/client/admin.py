"""What only a service offers, or only its organiser may ask for: owners and tokens, and how bots are handed in.

The rules of `arena.client.port` hold here too: plain values in and out.
"""

from __future__ import annotations

from typing import Protocol

from arena.client.values.accounts import (
    InvitationSummary,
    NewInvitation,
    NewToken,
    OwnerSummary,
    TokenSummary,
)
from arena.client.values.page import DEFAULT_LIMIT, Page
from arena.client.values.uploads import Submitted, UploadTicket
from ratings.store.states import Scope


class Admin(Protocol):
    """Owners, their tokens and their invitations; for organisers only."""

    def add_owner(self, name: str) -> OwnerSummary:
        """Register an owner, who has no token yet."""

    def list_owners(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[OwnerSummary]:
        """Return the owners, disabled ones too."""

    def set_owner_disabled(self, name: str, disabled: bool) -> OwnerSummary:
        """Lock an owner out, so that his tokens are worth nothing and his bots play no more, or let him in again."""

    def invite_owner(
        self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None
    ) -> NewInvitation:
        """Make a code that becomes an owner and a token, once; by default it holds for a week."""

    def list_invitations(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[InvitationSummary]:
        """Return the invitations, used and expired ones too."""

    def new_token(self, owner: str | None, name: str, scope: Scope, expires_at_us: int | None = None) -> NewToken:
        """Make a token of an owner, or one of the organiser without an owner. It is shown this once."""

    def list_tokens(
        self, owner: str | None = None, limit: int | None = DEFAULT_LIMIT, after: str | None = None
    ) -> Page[TokenSummary]:
        """Return the tokens of an owner or all, revoked and expired ones too."""

    def revoke_token(self, token: str, owner: str | None = None) -> TokenSummary:
        """Make a token worth nothing from now on: one of any owner by its id, or by its name one of this owner."""


class Entrance(Protocol):
    """What somebody may ask for who has no token yet."""

    def redeem_invitation(self, code: str, token_name: str) -> NewToken:
        """Become an owner by an invitation, and get a first token. It is shown this once."""


class Submissions(Protocol):
    """How versions of bots are handed in: an upload is begun, its archive is sent, and then it is submitted."""

    def begin_upload(self, archive_sha256: str, size_bytes: int) -> UploadTicket:
        """Announce an archive; if a part of it arrived before, the ticket says where to go on."""

    def submit_version(
        self, upload: str, content_hash: str, message: str = "", predecessor: int | None = None
    ) -> Submitted:
        """Make a version of an archive that arrived whole, and queue it to be admitted."""
