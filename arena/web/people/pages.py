"""The pages at which people play: a table is ordered, and then played on a page of its own that its key opens."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from sse_starlette.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response

from arena.web.frame.asking import arena_of
from arena.web.frame.choices import language_of
from arena.web.frame.rendering import render
from arena.web.guarding.headers import PICTURE_POLICY
from arena.web.guarding.origins import need_own_page
from arena.web.people.errors import NoTableError, PeopleError, TakenOverError
from arena.web.people.hall import Hall
from arena.web.people.ordering import PERSON, choices_of, offered_bots, read_order, whole
from arena.web.people.showing import picture_of, table_document, text_of
from arena.web.people.table import Table
from arena.web.people.values import Pace
from arena.web.people.visitors import address_of, remember, visitor_of
from arena.words.catalogue import Words, words
from engine import registry

router = APIRouter()
PATIENCE_S = 20.0
"""How long a browser hears nothing before it is told that nothing changed."""
_STATUS: Mapping[type[PeopleError], int] = {NoTableError: 404}
_SPOKEN = (
    "play.yours",
    "play.thinking",
    "play.waiting",
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
    "play.resign_sure",
    "play.taken_over",
    "play.gone",
    "play.of",
)
"""The texts that the script of a table says."""


def hall_of(request: Request) -> Hall:
    """Return the tables of the site. Raises an error 404 where nobody can sit down."""
    hall: Hall | None = getattr(request.app.state, "hall", None)
    if hall is None:
        raise HTTPException(404, _say(request).say("play.nobody"))
    return hall


def _say(request: Request) -> Words:
    return words(language_of(request))


def told(request: Request, error: PeopleError) -> str:
    """Return in the visitor's language why something may not be done."""
    return _say(request).say(error.key, **error.values) if error.key else str(error)


# Ordering a table.


@router.get("/play")
async def order_page(request: Request) -> Response:
    """Show the form for another table, and the tables that the visitor plays at."""
    return await _order_page(request, dict(request.query_params))


async def _order_page(request: Request, said: Mapping[str, str], problem: str = "", status: int = 200) -> Response:
    hall, visitor = hall_of(request), visitor_of(request)
    names = registry.names()
    game = registry.get(said["game"] if said.get("game") in names else names[0])
    wanted = said.get("seats", "")
    seats = number if (number := whole(wanted)) in game.seats else game.seats[0]
    page = render(
        request,
        "play/order.html",
        status=status,
        games=[registry.get(name) for name in names],
        game=game,
        seats=seats,
        bots=await run_in_threadpool(offered_bots, arena_of(request), game.name),
        person=PERSON,
        paces=[pace.value for pace in Pace],
        choices=choices_of(game),
        rules=hall.rules,
        free=hall.free,
        tables=hall.tables_of(visitor),
        said=said,
        problem=problem,
    )
    return remember(request, page, visitor)


@router.post("/play")
async def order(request: Request) -> Response:
    """Open a table, and lead there."""
    need_own_page(request)
    hall, visitor = hall_of(request), visitor_of(request)
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    try:
        table = await hall.open(visitor, address_of(request), read_order(form))
    except PeopleError as error:
        return await _order_page(request, form, told(request, error), 409)
    return remember(request, RedirectResponse(f"/play/{table.about.key}", status_code=303), visitor)


# Playing.


@router.get("/play/{key}")
async def table_page(request: Request, key: str) -> Response:
    """Show a table, and let this browser play at it from now on."""
    table = _table(request, key)
    grip = table.take()
    language, say = language_of(request), _say(request).say
    picture = picture_of(table, language)
    document = {
        **table_document(table, language),
        "names": table.about.names,
        "grip": grip,
        "address": f"/play/{key}",
        "match": f"/matches/{table.about.match_id}",
        "words": {name.removeprefix("play."): say(name, **_HOLES) for name in _SPOKEN},
    }
    shown = text_of(table, language) if picture is None else ""
    game = registry.get(table.about.game)
    return render(
        request,
        "play/table.html",
        headers={"cache-control": "no-store"},
        table=table,
        game=game,
        document=document,
        data=json.dumps(document),
        picture=picture,
        text=shown,
    )


_HOLES = {name: f"{{{name}}}" for name in ("who", "rank", "seats", "time", "step", "why")}
"""What the script fills in itself."""


@router.get("/play/{key}/board.svg")
async def board(request: Request, key: str) -> Response:
    """Return the position as the seat sees it, for browsers without script."""
    picture = picture_of(_table(request, key), language_of(request))
    if picture is None:
        raise HTTPException(404)
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": "no-store"}
    return Response(picture.svg(), media_type="image/svg+xml", headers=headers)


@router.get("/play/{key}/state")
async def state(request: Request, key: str, grip: int) -> Response:
    """Return a table as it stands, for the browser that plays at it."""
    table = _table(request, key)
    try:
        table.check_grip(grip)
    except PeopleError as error:
        return _refused(request, error)
    return JSONResponse(table_document(table, language_of(request)), headers={"cache-control": "no-store"})


@router.get("/play/{key}/events")
async def events(request: Request, key: str, grip: int) -> Response:
    """Tell a browser whenever something has changed, until the table is over or another browser plays at it."""
    return EventSourceResponse(_changes(_table(request, key), grip), ping=PATIENCE_S)


async def _changes(table: Table, grip: int) -> AsyncIterator[dict[str, Any]]:
    sequence = -1
    while True:
        try:
            table.check_grip(grip)
        except TakenOverError:
            yield {"event": "taken", "data": ""}
            return
        if table.sequence != sequence:
            sequence = table.sequence
            yield {"event": "changed", "data": str(sequence)}
        await table.wait(sequence, PATIENCE_S)


@router.post("/play/{key}/choose")
async def choose(request: Request, key: str) -> Response:
    """Answer the question that waits."""
    return await _act(request, key, _choose)


@router.post("/play/{key}/resign")
async def resign(request: Request, key: str) -> Response:
    """Give up the seat whose turn it is, or all that are left if others are to move."""
    return await _act(request, key, _resign)


def _choose(table: Table, form: Mapping[str, str]) -> None:
    table.turn.choose(whole(form.get("ply")), whole(form.get("action")))


def _resign(table: Table, form: Mapping[str, str]) -> None:
    number = whole(form.get("seat"))
    for seat in table.seats:
        if seat.number == number or form.get("seat") == "all":
            seat.resign()


async def _act(request: Request, key: str, act: Any) -> Response:
    need_own_page(request)
    table = _table(request, key)
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    try:
        table.check_grip(whole(form.get("grip")))
        act(table, form)
    except PeopleError as error:
        return _refused(request, error)
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"/play/{key}", status_code=303)
    return Response(status_code=204)


def _refused(request: Request, error: PeopleError) -> Response:
    status = _STATUS.get(type(error), 409)
    if "text/html" in request.headers.get("accept", ""):
        raise HTTPException(status, told(request, error))
    kind = "taken" if isinstance(error, TakenOverError) else "refused"
    return JSONResponse({"error": told(request, error), "kind": kind}, status_code=status)


def _table(request: Request, key: str) -> Table:
    try:
        return hall_of(request).find(key)
    except NoTableError as error:
        raise HTTPException(404, told(request, error)) from error
