"""The installed games as commands name them. No printing."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared.errors import unknown
from engine import registry
from engine.core import Game
from engine.text import Text

GameName = Annotated[str, typer.Argument(metavar="GAME")]


def get_game(name: str) -> Game:
    """Return the installed game of that name. Raise MisuseError, with the nearest name, if there is none.

    A family of games says itself why it has none of that name: UnknownGameError.
    """
    if name not in registry.names() and not registry.family_of(name):
        raise unknown(
            "game", name, registry.names(), Text("app.arena_game_list_shows_all", "`arena game list` shows all")
        )
    return registry.get(name)
