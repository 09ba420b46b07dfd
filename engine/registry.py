"""Finds games: the folders of `engine/games`, and installed plug-ins (entry point group `arena.games`)."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

import engine.games
from engine.core import Game, UnknownGameError

ENTRY_POINT_GROUP = "arena.games"


@cache
def _folders() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(engine.games.__path__) if module.ispkg))


@cache
def _plugins() -> dict[str, str]:
    """Installed plug-in games: name -> module; a folder of ours wins over a plug-in of the same name."""
    found = {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {name: value for name, value in found.items() if name not in _folders()}


def names() -> tuple[str, ...]:
    """The names of all installed games, sorted."""
    return tuple(sorted((*_folders(), *_plugins())))


@cache
def get(name: str) -> Game:
    """The game of that name. Raises UnknownGameError naming those there are."""
    if name in _folders():
        module = importlib.import_module(f"engine.games.{name}")
    elif name in _plugins():
        module = importlib.import_module(_plugins()[name])
    else:
        raise UnknownGameError(f"there is no game {name!r}; installed are: {', '.join(names())}")
    game: Game = module.GAME
    if game.name != name:
        raise ValueError(f"the game in {module.__name__} calls itself {game.name!r}")
    return game
