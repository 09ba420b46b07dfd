"""The installed games as commands name them. No printing."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared.errors import MisuseError, unknown
from engine import registry
from engine.core import Game

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of the game, as `arena game list` shows it.")]


def get_game(name: str) -> Game:
    """Return the installed game of that name. Raise MisuseError, with the nearest name, if there is none."""
    if name not in registry.names():
        raise unknown("game", name, registry.names(), "`arena game list` shows all")
    return registry.get(name)


def check_language(game: Game, language: str) -> None:
    """Raise MisuseError unless the game has names in that language."""
    languages = game.shown.languages
    if language not in languages:
        raise MisuseError(f"{game.name} has no names in {language!r}; write --lang {' or '.join(languages)}")
