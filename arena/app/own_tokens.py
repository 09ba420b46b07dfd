"""The tokens of the owner who is asking: each can make others that allow no more than itself, and end any of them."""

from __future__ import annotations

from arena.app.place import Place
from arena.app.rights import need_competitor
from arena.app.token_values import token_summary
from arena.app.viewer import Viewer
from arena.model.accounts import NewToken, TokenSummary
from arena.model.errors import ForbiddenError, UnknownError
from arena.model.page import Page
from ratings.errors import LimitError
from ratings.ledger.service import ServiceLedger
from ratings.read.accounts import count_tokens_since, list_tokens
from ratings.store.ids import now_us
from ratings.store.states import Scope

MOST_A_DAY = 50
"""How many tokens an owner may make within a day, those that were revoked meanwhile included."""
_DAY_US = 24 * 3600 * 1_000_000


def list_own(place: Place, limit: int | None, after: str | None) -> Page[TokenSummary]:
    """Return the tokens of the owner who is asking. Raises UnknownError for who is none, PageError."""
    owner_id, _ = _owner_of(place.viewer)
    page = list_tokens(place.database, owner_id=owner_id, limit=limit, after=after)
    return Page(tuple(token_summary(row.token, row.owner) for row in page.items), page.next)


def new_own(place: Place, name: str, scope: Scope, expires_at_us: int | None) -> NewToken:
    """Make a token for the owner who is asking.

    Raises UnknownError for who is none, ForbiddenError for what the token that asks may not do itself, LimitError after
    MOST_A_DAY, and AccountError.
    """
    owner_id, owner = _owner_of(place.viewer)
    if scope is Scope.ORGANISER and not place.viewer.is_organiser:
        raise ForbiddenError(f"only an organiser's token can make one of scope {scope.value}; ask the organiser")
    ends_at_us = _end_of(place.viewer, expires_at_us)
    if count_tokens_since(place.database, owner_id, now_us() - _DAY_US) >= MOST_A_DAY:
        raise LimitError(f"{owner} made {MOST_A_DAY} tokens within a day; go on tomorrow, or use those there are")
    made = ServiceLedger(place.database).new_token(owner, name=name, scope=scope, expires_at_us=ends_at_us)
    return NewToken(made.secret, token_summary(made.token, owner))


def revoke_own(place: Place, token: str) -> TokenSummary:
    """Revoke a token of the owner who is asking. Raises UnknownError for who is none, NotFoundError."""
    _, owner = _owner_of(place.viewer)
    return token_summary(ServiceLedger(place.database).revoke_token(token, owner=owner), owner)


def _end_of(viewer: Viewer, wanted_us: int | None) -> int | None:
    """Return when a token expires that somebody makes: with the one that is shown, if no earlier instant is wanted."""
    ends_us = viewer.expires_at_us
    if wanted_us is not None and ends_us is not None and wanted_us > ends_us:
        raise ForbiddenError(
            f"the token {viewer.token!r} expires earlier, and none that it makes holds longer; choose an earlier end, "
            "or ask the organiser"
        )
    return ends_us if wanted_us is None else wanted_us


def _owner_of(viewer: Viewer) -> tuple[str, str]:
    """Return id and name of the owner who is asking. Raises UnknownError, and ForbiddenError for who only looks."""
    need_competitor(viewer, "manage tokens")
    if viewer.owner_id is None or viewer.owner_name is None:
        raise UnknownError("only an owner has tokens of his own, and whoever asks is none; see: arena token list")
    return viewer.owner_id, viewer.owner_name
