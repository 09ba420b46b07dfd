"""What a person does at a table: choose, step by step and with a look at what comes of it, or resign."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from arena.web.middleware.origins import need_own_page
from arena.web.people.errors import IllegalError, PeopleError, StaleError
from arena.web.people.game_table import GameTable, Party
from arena.web.people.look_ahead import LookAhead, look_ahead
from arena.web.people.requests import form_of, game_tables_of, refusal_response, table_of, wants_page
from arena.web.people.table_view import look_ahead_json, view_of
from arena.web.shared.preferences import language_of

router = APIRouter()
MOST_PLANNED = 64
"""So many actions may be looked ahead to."""


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
        ahead = _look_ahead(table, party, form)
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
        table.party(key).check_session(_whole(form.get("grip")))
    except PeopleError as error:
        return table, form, refusal_response(request, error)
    return table, form, None


def _look_ahead(table: GameTable, party: Party, form: Mapping[str, str]) -> LookAhead:
    """Return what would come of the actions of a form. Raises StaleError, IllegalError."""
    seat, ply = table.turn_of(party), _whole(form.get("ply"))
    actions = [_whole(text) for text in form.get("action", "").split(",")[:MOST_PLANNED]]
    asked, board = seat.asked, seat.board
    if asked is None or asked.ply != ply or board is None or board.asked is None:
        raise StaleError("this was decided already, or the match went on; look at the board as it is now")
    if actions[0] not in asked.legal:
        raise IllegalError("that is not possible here; choose one of the actions that are offered")
    return look_ahead(board.game, board.asked, ply, actions)


def _whole(text: str | None) -> int:
    """Return a number that a browser sent; -1, which is never asked for, for anything else."""
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 10 else -1


def _done(request: Request, key: str) -> Response:
    return RedirectResponse(f"/play/{key}", status_code=303) if wants_page(request) else Response(status_code=204)
