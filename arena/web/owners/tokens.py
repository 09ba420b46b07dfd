"""The tokens of an owner: which there are, a new one, which is shown once, and the end of one."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from arena.model.accounts import Identity, NewToken, TokenSummary
from arena.model.errors import RefusedError
from arena.web.owners.authentication import asking, need_sure, private, proven_session, session_of
from arena.web.shared.formats import address_of_page
from arena.web.shared.rendering import render
from ratings.values.states import Scope

SCOPES = (Scope.COMPETITOR, Scope.VIEWER, Scope.PLAYER)
_SHOWN = 50
_DAY_US = 24 * 3600 * 1_000_000

router = APIRouter()


@router.get("/account/tokens")
def show_tokens(request: Request, after: Annotated[str | None, Query(max_length=2000)] = None) -> Response:
    """Show the tokens of whoever has signed in."""
    return _tokens(request, after=after)


@router.post("/account/tokens")
def make_token(
    request: Request,
    name: Annotated[str, Form(max_length=200)] = "",
    scope: Annotated[Scope, Form()] = Scope.COMPETITOR,
    days: Annotated[int | None, Form(ge=1, le=36_500)] = None,
    proof: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Make a token and show it, this once: whoever loads the page again makes no second one, for the name is taken."""
    session = proven_session(request, proof)
    ends_us = None if days is None else time.time_ns() // 1000 + days * _DAY_US
    try:
        with asking(request, session.token) as arena:
            made = arena.account.new_own_token(name.strip(), scope, ends_us)
    except RefusedError as error:
        return _tokens(request, status=400, sentence=str(error))
    return _tokens(request, made=made)


@router.post("/account/tokens/revoke")
def revoke_token(
    request: Request,
    token: Annotated[str, Form(max_length=200)],
    proof: Annotated[str, Form(max_length=100)] = "",
    sure: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """Make a token worth nothing, and with it every session that was opened by it."""
    session = proven_session(request, proof)
    need_sure(request, sure)
    with asking(request, session.token) as arena:
        arena.account.revoke_own_token(token)
    return RedirectResponse("/account/tokens", status_code=303)


def _tokens(
    request: Request,
    *,
    status: int = 200,
    sentence: str = "",
    made: NewToken | None = None,
    after: str | None = None,
) -> Response:
    session = session_of(request)
    with asking(request, session.token) as arena:
        identity = arena.account.get_identity()
        page = arena.account.list_own_tokens(_SHOWN, after)
    return private(
        render(
            request,
            "owners/tokens.html",
            status=status,
            session=session,
            sentence=sentence,
            made=made,
            tokens=[(token, _state(token, identity)) for token in page.items],
            scopes=SCOPES,
            next_page=address_of_page("/account/tokens", after=page.next) if page.next else "",
        )
    )


def _state(token: TokenSummary, identity: Identity) -> str:
    """Return whether a token is `revoked`, `expired`, the `current` one, or `good`."""
    if token.revoked_at_us is not None:
        return "revoked"
    if token.expires_at_us is not None and token.expires_at_us <= time.time_ns() // 1000:
        return "expired"
    return "current" if token.name == identity.token else "good"
