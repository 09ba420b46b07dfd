"""What only a service offers, or only its organiser may ask for: who asks, owners and tokens, how bots are handed in.

The rules of `arena.client.port` hold here too: plain values in and out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from arena.client.values.accounts import (
    Identity,
    InvitationSummary,
    NewInvitation,
    NewToken,
    OwnerSummary,
    OwnerUsage,
    TokenSummary,
)
from arena.client.values.annulments import Annulled, Annulment
from arena.client.values.ladders import Ladder, LadderRequest, Season
from arena.client.values.notices import Notice
from arena.client.values.page import DEFAULT_LIMIT, Page
from arena.client.values.people import OpenedTable, TableRequest
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

    def set_owner_limits(self, name: str, limits: Mapping[str, Any], resets: bool = False) -> OwnerSummary:
        """Give an owner limits of his own, by name; 0 stands for none. Those not named stay, unless it `resets`."""

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


class Seasons(Protocol):
    """Ladders are opened and closed, and their seasons with them; for organisers only."""

    def open_ladder(self, request: LadderRequest) -> Ladder:
        """Open a ladder for every bot that plays its game, with its first season."""

    def close_ladder(self, ladder: str, why: str) -> Ladder:
        """Close a ladder for good, with its season, whose secret is public from now on."""

    def announce_freeze(self, ladder: str, at_us: int, final_blocks: int) -> Season:
        """Tell everybody when submissions for the season close; then it is frozen, and its final is played."""

    def freeze_season(self, ladder: str, final_blocks: int | None = None) -> Season:
        """Close the season to new versions now, and plan its final, in which all bots play equally many matches.

        Each bot plays at least `final_blocks` blocks, 0 for no final; by default what was announced.
        """

    def close_season(self, ladder: str) -> Season:
        """Close the season: its table is kept, and its secret is public from now on."""

    def open_season(self, ladder: str, name: str | None = None) -> Season:
        """Open the next season of a ladder whose last one is closed."""


class Annulments(Protocol):
    """What the organiser takes out of the count; everybody may read it."""

    def annul_match(self, match: str, why: str) -> Annulled:
        """Let a match and the others of its block count for nothing, and compute the ratings anew."""

    def annul_version(self, version: str, why: str) -> Annulled:
        """Let everything that a version played count for nothing, and take it out of all tournaments for good."""

    def list_annulments(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Annulment]:
        """Return what was annulled, and why."""


class Tables(Protocol):
    """Matches in which people sit, for the program through which they play; for organisers only."""

    def open_table(self, request: TableRequest) -> OpenedTable:
        """Write the match of a table, which begins when everybody is there."""


class Account(Protocol):
    """Whoever is asking, and what he was told."""

    def get_identity(self) -> Identity:
        """Return who is asking, as the arena sees it."""

    def get_usage(self, owner: str | None = None) -> OwnerUsage:
        """Return what an owner has and may have: whoever is asking, or for organisers anybody."""

    def list_notices(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[Notice]:
        """Return what the owner, and everybody, was told."""

    def list_own_tokens(self, limit: int | None = DEFAULT_LIMIT, after: str | None = None) -> Page[TokenSummary]:
        """Return the tokens of the owner who is asking, the newest first, revoked and expired ones too."""

    def new_own_token(self, name: str, scope: Scope = Scope.COMPETITOR, expires_at_us: int | None = None) -> NewToken:
        """Make a further token of the owner who is asking. It is shown this once.

        It allows no more than the token that asks, and holds no longer, by default as long.
        """

    def revoke_own_token(self, token: str) -> TokenSummary:
        """Make a token of the owner who is asking worth nothing from now on, by its id or its name."""


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
