"""The games: what there is, and for each its rules, its board and its options."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import Response

from arena.i18n.catalogue import words
from arena.web.middleware.headers import PICTURE_POLICY
from arena.web.shared.rendering import render
from arena.web.shared.visitor import language_of
from arena.web.viewer.document import board_size
from arena.web.viewer.rules import rules_of, start_picture, start_text
from engine import registry
from engine.core import Game

router = APIRouter()
_HOUR = "public, max-age=3600"
Seats = Annotated[int | None, Query(ge=1, le=99)]


@router.get("/games")
def list_games(request: Request) -> Response:
    """Show the games that are installed."""
    games = [registry.get(name) for name in registry.names()]
    sizes = {game.name: board_size(game.name, game.seats[0]) for game in games}
    return render(request, "pages/games.html", games=games, sizes=sizes)


@router.get("/games/{name}")
def show_game(request: Request, name: str, seats: Seats = None) -> Response:
    """Show a game: its board at the start, its rules and its options."""
    game = registry.get_listed(name)
    count = _count(request, game, seats)
    size = board_size(name, count)
    return render(
        request,
        "pages/game.html",
        game=game,
        seats=count,
        size=size,
        text=start_text(name, count, language_of(request)) if size is None else "",
        rules=rules_of(name, language_of(request)),
        options=_options(game),
    )


@router.get("/games/{name}/board.svg")
def send_start(request: Request, name: str, seats: Seats = None) -> Response:
    """Send the picture of the start of a game."""
    language = language_of(request)
    picture = start_picture(name, _count(request, registry.get_listed(name), seats), language)
    if picture is None:
        raise HTTPException(404, words(language).say("viewer.no_picture"))
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": _HOUR}
    return Response(picture, media_type="image/svg+xml", headers=headers)


def _count(request: Request, game: Game, seats: int | None) -> int:
    """Return how many play. Raises HTTPException that names how many may."""
    if seats is not None and seats not in game.seats:
        known = ", ".join(map(str, game.seats))
        raise HTTPException(404, words(language_of(request)).say("games.no_seats", game=game.title, seats=known))
    return game.seats[0] if seats is None else seats


def _options(game: Game) -> list[dict[str, Any]]:
    """Return what can be chosen in a game: name, what it takes, its default, and what it means."""
    properties = game.options.schema()["properties"]
    return [
        {
            "name": name,
            "takes": ", ".join(map(_shown, about["enum"])) if "enum" in about else _range(about),
            "default": _shown(about["default"]),
            "about": about["description"],
        }
        for name, about in properties.items()
    ]


def _range(about: dict[str, Any]) -> str:
    bounds = (about.get("minimum"), about.get("maximum"))
    return " \N{HORIZONTAL ELLIPSIS} ".join(map(str, bounds)) if None not in bounds else str(about.get("type", ""))


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
