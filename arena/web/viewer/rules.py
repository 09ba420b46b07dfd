"""The rules of a game as its folder tells them, as HTML, and the picture of its start. No database is asked."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

from engine import registry
from engine.abilities import View
from engine.chance import SeededChance
from engine.core import AbilityError, Game, State

_RULES: Final = "README.md"
_OTHER_RULES: Final = "rules.{}.md"
"""Those in another language than English."""
_FOR_PROGRAMMERS: Final = "Files"
"""The section of a game's text that is about its program, not its rules."""
_OPTIONS: Final = "Options"
"""The section that pages replace by the game's own list of its options."""
_ENGLISH: Final = "en"
_KEPT: Final = 64


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
            return RulesText(render_markdown(file.read_text(encoding="utf-8"), _left_out(game)), found_language)
    return None


def _left_out(game: str) -> Collection[str]:
    has_options = bool(registry.get(game).options.schema()["properties"])
    return {_FOR_PROGRAMMERS, _OPTIONS} if has_options else {_FOR_PROGRAMMERS}


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
            token.attrSet("id", _anchor(title))
        if is_shown:
            shown.append(token)
        is_shown = is_shown or (token.type == "heading_close" and token.tag == "h1")
    return Markup(reader.renderer.render(shown, reader.options, {}))  # made here, from text that was escaped


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


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
