"""The pages of owners: their bots with logs and faults, and their tokens.

Everything is asked of the service with the owner's own token: it decides what he may do.
"""

from __future__ import annotations

import time
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response

from arena.model.accounts import Identity, NewToken, TokenSummary
from arena.model.errors import RefusedError
from arena.web.owners.sessions import OwnerSession, asking, need_sure, private, proven_session, session_of
from arena.web.shared.formatting import address_of_page
from arena.web.shared.rendering import render
from arena.web.shared.site import arena_of
from engine.translatable import Text
from ratings.values.page import MOST_LIMIT
from ratings.values.states import Scope

router = APIRouter()
SCOPES = (Scope.COMPETITOR, Scope.VIEWER, Scope.PLAYER)
_SHOWN = 50
_FEW = 10
_DAY_US = 24 * 3600 * 1_000_000
_Name = Annotated[str, Query(max_length=300)]


@router.get("/account")
def account(request: Request) -> Response:
    """Show the bots, limits, admissions and notices of an owner."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        identity = arena.account.get_identity()
        owner = identity.owner  # the organiser has none
        found = arena_of(request).overview.search_bots("" if owner is None else f"{owner}/", limit=MOST_LIMIT)
        names = [bot.name for bot in found.items if bot.owner == owner][:_SHOWN]
        values: dict[str, Any] = {
            "identity": identity,
            "usage": arena.account.get_usage() if identity.owner else None,
            "bots": [arena.bots.get_bot(name) for name in names],
            "admissions": arena.admissions.list_admissions(limit=_FEW).items,
            "notices": arena.account.list_notices(limit=_FEW).items,
        }
    return private(render(request, "owners/account.html", session=session, **values))


@router.get("/account/bot")
def one_bot(request: Request, name: _Name) -> Response:
    """Show the versions of a bot, what happened to it, what it did wrong, and its matches with their logs."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        bot = arena.bots.get_bot(name)
        events = arena.bots.list_events(name, limit=20).items
        versions = arena.bots.list_versions(name, limit=_SHOWN).items
        matches = arena.matches.list_matches(bot=bot.name, limit=_FEW).items
    unfit = arena_of(request).overview.list_unfit([one.version_id for one in versions])
    values: dict[str, Any] = {"bot": bot, "versions": versions, "unfit": unfit, "events": events, "matches": matches}
    overview, known = arena_of(request).overview, {one.version_id for one in versions}
    standings = [one for one in overview.list_standings(bot.name) if one.version_id in known][:_FEW]
    faults = [
        {"number": one.number, "fault": fault}
        for one in standings
        for fault in overview.count_faults(one.pool.pool_id, one.version_id)
    ]
    return private(render(request, "owners/bot.html", session=session, faults=faults, **values))


@router.get("/account/build")
def build_log(request: Request, version: _Name) -> Response:
    """Show what the build command of a version said."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        found = arena.bots.get_build_log(version)
    return _text(request, session, f"{found.bot} v{found.version}", [("", found.text)], kind="owner.build_log")


@router.get("/account/logs")
def logs(request: Request, match: _Name) -> Response:
    """Show what the bots of an owner wrote in a match."""
    session = session_of(request)
    with asking(request, session.token) as arena:
        found = arena.matches.get_logs(match)
        match_id = found[0].match_id if found else arena.matches.get_match(match).match_id
    return _text(request, session, match_id, [(log.bot, log.text) for log in found], kind="owner.logs")


@router.post("/account/change")
def change(
    request: Request,
    name: Annotated[str, Form(max_length=300)],
    what: Annotated[str, Form(max_length=20)],
    proof: Annotated[str, Form(max_length=100)] = "",
    sure: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """Promote or withdraw a version (`bot@hash`), or roll a bot back, if its owner is sure."""
    session = proven_session(request, proof)
    need_sure(request, sure)
    with asking(request, session.token) as arena:
        acts = {
            "promote": arena.bots.promote_version,
            "withdraw": arena.bots.withdraw_version,
            "roll_back": arena.bots.roll_back,
        }
        if what not in acts:
            raise HTTPException(400, Text("promote, withdraw or roll_back"))
        bot = acts[what](name)
    return RedirectResponse(f"/account/bot?name={quote(bot.name)}", status_code=303)


def _text(request: Request, session: OwnerSession, title: str, parts: list[tuple[str, str]], *, kind: str) -> Response:
    return private(render(request, "owners/text.html", session=session, title=title, parts=parts, kind=kind))


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
    """Revoke a token, and with it every session that was opened by it."""
    session = proven_session(request, proof)
    need_sure(request, sure)
    with asking(request, session.token) as arena:
        arena.account.revoke_own_token(token)
    return RedirectResponse("/account/tokens", status_code=303)


def _tokens(
    request: Request, *, status: int = 200, sentence: str = "", made: NewToken | None = None, after: str | None = None
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
