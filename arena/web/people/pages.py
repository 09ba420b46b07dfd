"""The page of a table, the stream that tells of it, and the page that invites to it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from sse_starlette.sse import EventSourceResponse
from starlette.responses import JSONResponse, RedirectResponse, Response

from arena.web.middleware.headers import PICTURE_POLICY
from arena.web.middleware.origins import need_own_page
from arena.web.people.errors import NoTableError, PeopleError
from arena.web.people.game_table import GameTable, Party
from arena.web.people.requests import error_text, form_of, game_tables_of, refusal_response, table_of, words_of
from arena.web.people.script_texts import SPOKEN
from arena.web.people.streaming import PATIENCE_S, changes
from arena.web.people.table_view import BrowserUpdates, asked_json, picture_of, position, text_of, view_of
from arena.web.people.visitors import remember, visitor_of
from arena.web.shared.preferences import language_of
from arena.web.shared.rendering import render
from arena.web.viewer.sizes import board_size
from engine import registry

router = APIRouter()
_SECRET = {"cache-control": "no-store"}
_HOLES = {name: f"{{{name}}}" for name in ("who", "rank", "seats", "time", "step", "count")}
"""What the script fills in itself."""


@router.get("/play/{key}")
async def table_page(request: Request, key: str) -> Response:
    """Show a table, and let this browser play at it from now on; or invite to it."""
    if seated := _seated(request, key):
        return seated
    table = table_of(request, key)
    if any(party.is_awaited and party.invitation == key for party in table.parties):
        return _invite(request, table, key)
    party = _party(request, table, key)
    session, language, say = table.take(party), language_of(request), words_of(request).say
    view = view_of(table, party)
    state, last = position(view, view.count)
    picture = None if state is None else picture_of(view, state, last, language)
    document = {
        "grip": session,
        "address": f"/play/{key}",
        "words": {name.removeprefix("play."): say(name, **_HOLES) for name in SPOKEN},
        "own": party.seats,
    }
    game = registry.get(table.game)
    page = render(
        request,
        "play/table.html",
        headers=_SECRET,
        table=table,
        party=party,
        names=table.about.names,
        called=[game.shown.seat_name(number, language) for number in range(len(table.about.names))],
        game=game,
        document=document,
        data=json.dumps(document),
        asked=asked_json(view, language),
        picture=picture,
        start=board_size(table.game, len(table.about.names)) if state is None else None,
        text="" if picture is not None else text_of(view, state, language),
        seat=view.seat,
        site_address=str(request.base_url),
        rules=game_tables_of(request).rules,
    )
    return remember(request, page, visitor_of(request))


def _seated(request: Request, invitation: str) -> Response | None:
    """Lead whoever took the seat of an invitation back to it: links are opened again, and buttons pressed twice."""
    tables = game_tables_of(request).tables_of(visitor_of(request))
    own = next((party.key for _, party in tables if party.invitation == invitation), None)
    return None if own is None else RedirectResponse(f"/play/{own}", status_code=303)


def _party(request: Request, table: GameTable, key: str) -> Party:
    try:
        return table.party(key)
    except NoTableError as error:
        raise HTTPException(404, error_text(request, error)) from error


def _invite(request: Request, table: GameTable, key: str, problem: str = "", status: int = 200) -> Response:
    (seat,) = next(party.seats for party in table.parties if party.invitation == key)
    page = render(
        request,
        "play/invitation.html",
        status=status,
        headers=_SECRET,
        table=table,
        key=key,
        seat=seat,
        game=registry.get(table.game),
        problem=problem,
        rules=game_tables_of(request).rules,
    )
    return remember(request, page, visitor_of(request))


@router.post("/play/{key}/sit")
async def sit(request: Request, key: str) -> Response:
    """Let somebody who is invited take his seat, and lead there."""
    need_own_page(request)
    if seated := _seated(request, key):
        return seated
    table, visitor, form = table_of(request, key), visitor_of(request), await form_of(request)
    try:
        party = await game_tables_of(request).sit(table, key, visitor, form.get("name", ""))
    except PeopleError as error:
        if any(one.is_awaited and one.invitation == key for one in table.parties):
            return _invite(request, table, key, error_text(request, error), 409)
        raise HTTPException(409, error_text(request, error)) from error
    return remember(request, RedirectResponse(f"/play/{party.key}", status_code=303), visitor)


@router.get("/play/{key}/board.svg")
async def board(request: Request, key: str) -> Response:
    """Return the position as the seat sees it, for browsers without script."""
    table = table_of(request, key)
    view = view_of(table, _party(request, table, key))
    state, last = position(view, view.count)
    picture = None if state is None else picture_of(view, state, last, language_of(request))
    if picture is None:
        raise HTTPException(404)
    headers = {"content-security-policy": PICTURE_POLICY, **_SECRET}
    return Response(picture.svg(), media_type="image/svg+xml", headers=headers)


@router.get("/play/{key}/state")
async def state(request: Request, key: str, session: Annotated[int, Query(alias="grip")]) -> Response:
    """Return a table as it stands, for the browser that plays at it."""
    table = table_of(request, key)
    party = _party(request, table, key)
    try:
        party.check_session(session)
    except PeopleError as error:
        return refusal_response(request, error)
    return JSONResponse(BrowserUpdates(language_of(request)).update(view_of(table, party)), headers=_SECRET)


@router.get("/play/{key}/events")
async def events(request: Request, key: str, session: Annotated[int, Query(alias="grip")]) -> Response:
    """Tell a browser of the table, until another browser plays at it."""
    table = table_of(request, key)
    messages = changes(table, _party(request, table, key), session, language_of(request))
    return EventSourceResponse(messages, ping=PATIENCE_S)
