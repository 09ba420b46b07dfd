"""The pages of a table: playing and resigning, what was told since, and the invitation to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from sse_starlette.sse import EventSourceResponse
from starlette.responses import JSONResponse, RedirectResponse, Response

from arena.i18n.catalogue import Words, translate, words
from arena.web.middleware.request_checks import need_own_page
from arena.web.middleware.response_headers import PICTURE_POLICY
from arena.web.people.errors import IllegalError, NoTableError, PeopleError, SeatTakenError, StaleError, TakenOverError
from arena.web.people.game_table import GameTable, Party
from arena.web.people.human_seat import HumanSeatState, look_ahead
from arena.web.people.table_view import (
    BrowserUpdates,
    asked_json,
    look_ahead_json,
    picture_of,
    position,
    text_of,
    view_of,
)
from arena.web.people.tables import GameTables
from arena.web.shared.rendering import render
from arena.web.shared.site import site_of
from arena.web.shared.visitor import language_of, remember, visitor_of
from arena.web.viewer.payload import board_size
from engine import registry

router = APIRouter()
MOST_PLANNED = 64
"""So many actions may be looked ahead to."""
PATIENCE_S = 20.0
"""How long a browser hears nothing before it is told that the stream still stands."""
GATHER_S = 0.01
"""What changes in so short a time is told together."""
WAY_S = 1.0
"""How long a question is held back for the moves that led to it."""
SPOKEN = (
    "play.yours",
    "play.thinking",
    "play.thinking_who",
    "play.waiting",
    "play.gathering",
    "play.given_up",
    "play.again",
    "play.over",
    "play.over_resigned",
    "play.over_idle",
    "play.lost",
    "play.lost_connection",
    "play.bank",
    "play.idle",
    "play.choose_place",
    "play.choose_more",
    "play.undo",
    "play.send",
    "play.send_sure",
    "play.resign_sure",
    "play.taken_over",
    "play.gone",
    "play.of",
    "play.since",
    "play.past",
    "play.cover",
    "play.cover_show",
    "play.copied",
    "play.scoring",
)
"""The texts that the script of a table shows."""
_SECRET = {"cache-control": "no-store"}
_HOLES = {name: f"{{{name}}}" for name in ("who", "rank", "seats", "time", "step", "count")}
"""What the script fills in itself."""
_STATUS: Mapping[type[PeopleError], int] = {NoTableError: 404}


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
        "session": session,
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
async def state(request: Request, key: str, session: int) -> Response:
    """Return a table as it stands, for the browser that plays at it."""
    table = table_of(request, key)
    party = _party(request, table, key)
    try:
        party.check_session(session)
    except PeopleError as error:
        return refusal_response(request, error)
    return JSONResponse(BrowserUpdates(language_of(request)).update(view_of(table, party)), headers=_SECRET)


@router.get("/play/{key}/events")
async def events(request: Request, key: str, session: int) -> Response:
    """Tell a browser of the table, until another browser plays at it."""
    table = table_of(request, key)
    messages = follow_table(table, _party(request, table, key), session, language_of(request))
    return EventSourceResponse(messages, ping=PATIENCE_S)


async def follow_table(table: GameTable, party: Party, session: int, language: str) -> AsyncIterator[dict[str, Any]]:
    """Yield what a browser is told: the table as it is, and from there on what is new."""
    updates, sequence = BrowserUpdates(language), -1
    while True:
        try:
            party.check_session(session)
        except TakenOverError:
            yield {"event": "taken", "data": ""}
            return
        if table.sequence != sequence:
            # Until it is known how the match came to the question that a seat is asked, but not for long.
            end_s = asyncio.get_running_loop().time() + WAY_S
            while (left_s := end_s - asyncio.get_running_loop().time()) > 0:
                seat = table.turn_of(party)
                asked = seat.stage is HumanSeatState.ASKED and seat.board is not None and seat.board.asked_ply
                if not asked or not table.following.is_alive or len(table.following.moves) >= asked:
                    break
                await table.wait(table.sequence, left_s)
            view = view_of(table, party)
            sequence = view.sequence
            document = await asyncio.to_thread(updates.update, view)
            yield {"event": "told", "data": json.dumps(document, ensure_ascii=False)}
            await asyncio.sleep(GATHER_S)
        await table.wait(sequence, PATIENCE_S)


@router.post("/play/{key}/choose")
async def choose(request: Request, key: str) -> Response:
    """Answer the question that waits by `action`, one or several with commas between.

    With `mode` `look` nothing is sent: the answer is JSON of what would come of it. With `plan` it is so while the seat
    would go on deciding, and else they are sent.
    """
    table, form, refusal = await _taken(request, key)
    if refusal is not None:
        return refusal
    party = table.party(key)
    try:
        seat, ply = table.turn_of(party), _whole(form.get("ply"))
        actions = [_whole(text) for text in form.get("action", "").split(",")[:MOST_PLANNED]]
        asked, board = seat.asked, seat.board
        if asked is None or asked.ply != ply or board is None or board.asked is None:
            raise StaleError("this was decided already, or the match went on; look at the board as it is now")
        if actions[0] not in asked.legal:
            raise IllegalError("that is not possible here; choose one of the actions that are offered")
        ahead = look_ahead(board.game, board.asked, ply, actions)
        if form.get("mode") == "look" or (form.get("mode") == "plan" and ahead.legal):
            view, language = view_of(table, party), language_of(request)
            return JSONResponse(await asyncio.to_thread(look_ahead_json, view, ahead, language))
        first, *then = ahead.planned
        table.turn_of(party).choose(first.ply, first.action, then)
    except PeopleError as error:
        return refusal_response(request, error)
    return _done(request, key)


@router.post("/play/{key}/resign")
async def resign(request: Request, key: str) -> Response:
    """Give up a seat of this browser, or all of them; who opened a table that still gathers gives up the table."""
    table, form, refusal = await _taken(request, key)
    if refusal is not None:
        return refusal
    party = table.party(key)
    if table.is_gathering and party is table.parties[0]:
        game_tables_of(request).leave(table)
    for seat in table.seats_of(party):
        if form.get("seat") in (str(seat.number), "all"):
            seat.resign()
    return _done(request, key)


async def _taken(request: Request, key: str) -> tuple[GameTable, Mapping[str, str], Response | None]:
    """Return a table, a form, and what is answered to a browser that may not play there."""
    need_own_page(request)
    table, form = table_of(request, key), await form_of(request)
    try:
        table.party(key).check_session(_whole(form.get("session")))
    except PeopleError as error:
        return table, form, refusal_response(request, error)
    return table, form, None


def _whole(text: str | None) -> int:
    """Return a number that a browser sent; -1, which is never asked for, for anything else."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else -1


def _done(request: Request, key: str) -> Response:
    return RedirectResponse(f"/play/{key}", status_code=303) if wants_page(request) else Response(status_code=204)


def words_of(request: Request) -> Words:
    """Return the texts of the visitor's language."""
    return words(language_of(request))


def game_tables_of(request: Request) -> GameTables:
    """Return the tables of the site. Raises an error 404 where nobody can sit down, and says why."""
    game_tables: GameTables | None = getattr(request.app.state, "game_tables", None)
    if game_tables is None:
        why = "play.nobody_allowed" if site_of(request).is_live else "play.nobody_plays"
        raise HTTPException(404, words_of(request).say(why))
    return game_tables


def table_of(request: Request, key: str) -> GameTable:
    """Return the table that a key opens. Raises an error 404."""
    try:
        return game_tables_of(request).find(key)
    except (NoTableError, SeatTakenError) as error:
        raise HTTPException(404, error_text(request, error)) from error


async def form_of(request: Request) -> dict[str, str]:
    """Return the texts of a form."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


def wants_page(request: Request) -> bool:
    """Return whether a browser asks that wants a page in answer, and no script."""
    return "text/html" in request.headers.get("accept", "")


def error_text(request: Request, error: PeopleError) -> str:
    """Return in the visitor's language why something may not be done."""
    why = {"why": translate(str(error.values["why"]), language_of(request))} if "why" in error.values else {}
    return words_of(request).say(error.key, **{**error.values, **why}) if error.key else str(error)


def refusal_response(request: Request, error: PeopleError) -> Response:
    """Return the answer to what may not be done: JSON for a script. Raises HTTPException, a page, for a browser."""
    status = _STATUS.get(type(error), 409)
    if wants_page(request):
        raise HTTPException(status, error_text(request, error))
    kind = "taken" if isinstance(error, TakenOverError) else "refused"
    return JSONResponse({"error": error_text(request, error), "kind": kind}, status_code=status)
