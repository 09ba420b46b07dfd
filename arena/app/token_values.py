"""Tokens as clients see them: without the token itself."""

from __future__ import annotations

from arena.model.accounts import TokenSummary
from ratings.store.service import Token


def token_summary(token: Token, owner: str | None) -> TokenSummary:
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
