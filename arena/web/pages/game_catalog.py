"""The games: a list, and of each its board at the start, its rules as its folder tells them, and its options."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Final

from fastapi import APIRouter, HTTPException, Query, Request
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import Response

from arena.i18n.catalogue import words
from arena.web.middleware.response_headers import PICTURE_POLICY
from arena.web.shared.rendering import render
from arena.web.shared.visitor import language_of
from arena.web.viewer.payload import board_size
from engine import registry
from engine.abilities import View
from engine.chance import SeededChance
from engine.core import AbilityError, Game, State

router = APIRouter()
Seats = Annotated[int | None, Query(ge=1, le=99)]
_HOUR = "public, max-age=3600"
_RULES: Final = "README.md"
_OTHER_RULES: Final = "rules.{}.md"
"""Those in another language than English."""
_FOR_PROGRAMMERS: Final = "Files"
"""The section of a game's text that is about its program, not its rules."""
_OPTIONS: Final = "Options"
"""The section that pages replace by the game's own list of its options."""
_ENGLISH: Final = "en"
_KEPT: Final = 64


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
    options = []
    for option, about in game.options.schema()["properties"].items():
        bounds = (about.get("minimum"), about.get("maximum"))
        if "enum" in about:
            takes = ", ".join(map(_shown, about["enum"]))
        else:
            takes = (
                " \N{HORIZONTAL ELLIPSIS} ".join(map(str, bounds)) if None not in bounds else str(about.get("type", ""))
            )
        values = {"takes": takes, "default": _shown(about["default"]), "about": about["description"]}
        options.append({"name": option, **values})
    return render(
        request,
        "pages/game.html",
        game=game,
        seats=count,
        size=size,
        text=start_text(name, count, language_of(request)) if size is None else "",
        rules=rules_of(name, language_of(request)),
        options=options,
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


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class RulesText:
    """The rules of a game as HTML, and their language."""

    html: Markup
    language: str


@lru_cache(_KEPT)
def rules_of(game: str, language: str) -> RulesText | None:
    """Return the rules of a game, in English if its folder has none in a language; `None` if it holds none at all."""
    folder = files(registry.package_of(game))
    for name, found_language in ((_OTHER_RULES.format(language), language), (_RULES, _ENGLISH)):
        file = folder.joinpath(name)
        if file.is_file():
            has_options = bool(registry.get(game).options.schema()["properties"])
            left_out = {_FOR_PROGRAMMERS, _OPTIONS} if has_options else {_FOR_PROGRAMMERS}
            return RulesText(render_markdown(file.read_text(encoding="utf-8"), left_out), found_language)
    return None


def render_markdown(text: str, left_out: Collection[str] = (_FOR_PROGRAMMERS,)) -> Markup:
    """Return a text without its title and some sections as HTML: nothing that stands in it as HTML is kept as such."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens, shown, is_shown = reader.parse(text), [], True
    for place, token in enumerate(tokens):
        token.attrs.pop("style", None)  # how a column is aligned; our pages allow no style in an element
        if token.type in ("table_open", "fence", "code_block"):
            token.attrSet("tabindex", "0")  # a wide one is moved sideways, by keys too
        if token.type == "heading_open":
            title = tokens[place + 1].content
            is_shown = token.tag != "h1" and title not in left_out
            token.attrSet("id", re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"))
        if is_shown:
            shown.append(token)
        is_shown = is_shown or (token.type == "heading_close" and token.tag == "h1")
    return Markup(reader.renderer.render(shown, reader.options, {}))  # made here, from text that was escaped


@lru_cache(_KEPT)
def start_picture(game: str, seats: int, language: str) -> str | None:
    """Return the picture of the start of a game; `None` if it draws none. Raises SeatsError."""
    found = registry.get(game)
    try:
        return found.shown.svg(_start(found, seats), View(language))
    except AbilityError:
        return None


def start_text(game: str, seats: int, language: str) -> str:
    """Return the start of a game as text. Raises SeatsError."""
    found = registry.get(game)
    return found.shown.text(_start(found, seats), None, language)


def _start(game: Game, seats: int) -> State:
    return game.new_state(seats, game.parse_options({}), SeededChance(0))
