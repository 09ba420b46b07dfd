"""Where a table is ordered: the form, and a table against the samples by one click."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from arena.web.middleware.origins import need_own_page
from arena.web.people.errors import NotOfferedError, PeopleError
from arena.web.people.order_form import INVITED, PERSON, choices_of, offered_bots, quick_order, read_order
from arena.web.people.requests import error_text, form_of, game_tables_of
from arena.web.people.values import TableClock, TableOrder
from arena.web.people.visitors import address_of, remember, visitor_of
from arena.web.shared.rendering import render
from arena.web.shared.request_context import arena_of
from arena.web.viewer.sizes import board_size
from engine import registry

router = APIRouter()


@router.get("/play")
async def order_page(request: Request) -> Response:
    """Show the form for another table, and the tables that the visitor plays at."""
    return await _order_page(request, dict(request.query_params))


async def _order_page(request: Request, said: Mapping[str, str], problem: str = "", status: int = 200) -> Response:
    game_tables, visitor = game_tables_of(request), visitor_of(request)
    names = registry.names()
    game = registry.get(said["game"] if said.get("game") in names else names[0])
    wanted = said.get("seats", "")
    seats = int(wanted) if wanted in {str(count) for count in game.seats} else game.seats[0]
    page = render(
        request,
        "play/order.html",
        status=status,
        games=[registry.get(name) for name in names],
        game=game,
        seats=seats,
        size=board_size(game.name, seats),
        bots=await run_in_threadpool(offered_bots, arena_of(request), game.name),
        person=PERSON,
        invited=INVITED,
        paces=[pace.value for pace in TableClock],
        choices=choices_of(game),
        rules=game_tables.rules,
        free=game_tables.free,
        tables=game_tables.tables_of(visitor),
        said=said,
        problem=problem,
    )
    return remember(request, page, visitor)


@router.post("/play")
async def order(request: Request) -> Response:
    """Open a table, and lead there."""
    need_own_page(request)
    form = await form_of(request)
    wanted = read_order(form)
    offered = await run_in_threadpool(offered_bots, arena_of(request), wanted.game)
    if missing := next((bot for bot in wanted.sitting if bot is not None and bot not in offered), None):
        error = NotOfferedError(f"{missing} cannot play here now; choose another bot", bot=missing)
        return await _order_page(request, form, error_text(request, error), 409)
    return await _open(request, wanted, form)


@router.post("/play/quick")
async def quick(request: Request) -> Response:
    """Open a table against the samples at once, and lead there: nothing is asked for but `game` and `seats`."""
    need_own_page(request)
    form = await form_of(request)
    offered = await run_in_threadpool(offered_bots, arena_of(request), form.get("game", ""))
    return await _open(request, quick_order(form, offered), form)


async def _open(request: Request, wanted: TableOrder, form: Mapping[str, str]) -> Response:
    game_tables, visitor = game_tables_of(request), visitor_of(request)
    try:
        table = await game_tables.open(visitor, address_of(request), wanted)
    except PeopleError as error:
        return await _order_page(request, form, error_text(request, error), 409)
    return remember(request, RedirectResponse(f"/play/{table.key}", status_code=303), visitor)
