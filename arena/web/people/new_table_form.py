"""Where a visitor orders a table: the form with what can be chosen, and a table against the samples by one click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from arena.hosting.sample_bots import sample_names
from arena.model.port import ShownArena
from arena.web.middleware.request_checks import need_own_page
from arena.web.people.errors import NotOfferedError, PeopleError
from arena.web.people.game_table import TableClock, TableOrder
from arena.web.people.pages import error_text, form_of, game_tables_of
from arena.web.shared.rendering import render
from arena.web.shared.site import arena_of
from arena.web.shared.visitor import address_of, remember, visitor_of
from arena.web.viewer.payload import board_size
from engine import registry
from engine.core import Game

router = APIRouter()
PERSON = "?person"
"""What stands for a person where a bot may be chosen; no bot can have this name."""
INVITED = "?invited"
"""What stands for a person who comes by a link."""
MOST_OFFERED = 100
"""How many bots a visitor may choose from: those added last."""
_LONGEST_BOT = 200
"""No name is as long; what is wrong is written to the service's log."""
_SAMPLES = ("greedy", "search", "random")
"""Whom somebody plays against who says nothing: the first ones that are there, in turn."""


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


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a game of which one of some values is chosen."""

    name: str
    title: str
    values: tuple[str, ...]
    usual: str


def choices_of(game: Game) -> list[Choice]:
    """Return the options of a game that a form can ask for."""
    properties: Mapping[str, Any] = game.options_schema().get("properties", {})
    return [
        Choice(
            name, about.get("description", name), tuple(map(_value_text, about["enum"])), _value_text(about["default"])
        )
        for name, about in properties.items()
        if "enum" in about
    ]


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def offered_bots(arena: ShownArena, game: str) -> list[str]:
    """Return bots that a visitor can play against at once, the samples first."""
    found = arena.overview.list_opponents(game, MOST_OFFERED)
    samples = [name for name in _SAMPLES if name in found]
    return list(dict.fromkeys([*samples, *(name for name in sample_names() if name in found), *found]))


def quick_order(form: Mapping[str, str], offered: Sequence[str]) -> TableOrder:
    """Return a table of a game against the samples, of as many seats as a form says, or the fewest.

    Raises UnknownGameError.
    """
    game = registry.get_listed(form.get("game", ""))
    wanted = form.get("seats", "")
    seats = int(wanted) if wanted in {str(count) for count in game.seats} else game.seats[0]
    bots = [name for name in _SAMPLES if name in offered] or offered[:1]
    others = (bots[seat % len(bots)] if bots else None for seat in range(seats - 1))
    return TableOrder(game=game.name, sitting=(None, *others))


def read_order(form: Mapping[str, str]) -> TableOrder:
    """Return the table that a form asks for. Raises the errors of the engine for a game or seats that there are not."""
    game = registry.get_listed(form.get("game", ""))
    seats = next((count for count in game.seats if str(count) == form.get("seats")), 0)
    game.check_seats(seats)
    chosen = [form.get(f"seat{seat}", PERSON)[:_LONGEST_BOT] for seat in range(seats)]
    sitting = tuple(None if one in (PERSON, INVITED) else one for one in chosen)
    names = tuple(form.get(f"name{seat}", "") for seat, bot in enumerate(sitting) if bot is None)
    pace = form.get("pace", "")
    invited = [seat for seat, one in enumerate(chosen) if one == INVITED]
    if PERSON not in chosen:
        invited = invited[1:]  # whoever orders a table plays at it
    options = {one.name: form[name] for one in choices_of(game) if (name := f"option_{one.name}") in form}
    game.parse_options(options)
    return TableOrder(
        game=game.name,
        sitting=sitting,
        names=names,
        pace=TableClock(pace) if pace in set(TableClock) else TableClock.GENEROUS,
        options=options,
        rated=form.get("rated") == "yes",
        invited=tuple(invited),
    )
