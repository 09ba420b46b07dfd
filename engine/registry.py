"""Finds games: the folders of `engine/games`, and installed plug-ins (entry point group `arena.games`)."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core import Game, UnknownGameError

if TYPE_CHECKING:
    from engine.abilities import Checks

ENTRY_POINT_GROUP = "arena.games"
_GAMES = str(Path(__file__).with_name("games"))


@cache
def _folders() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules([_GAMES]) if module.ispkg))


@cache
def _plugins() -> dict[str, str]:
    """Installed plug-in games: name -> module; a folder of ours wins over a plug-in of the same name."""
    found = {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {name: value for name, value in found.items() if name not in _folders()}


def names() -> tuple[str, ...]:
    """Return the names of all installed games, sorted."""
    return tuple(sorted((*_folders(), *_plugins())))


def package_of(name: str) -> str:
    """Return the package of the game of that name. Raises UnknownGameError naming those there are."""
    if name in _folders():
        return f"engine.games.{name}"
    if name in _plugins():
        return _plugins()[name]
    raise UnknownGameError(f"there is no game {name!r}; installed are: {', '.join(names())}")


@cache
def get(name: str) -> Game:
    """Return the game of that name. Raises UnknownGameError naming those there are."""
    module = importlib.import_module(package_of(name))
    game: Game = module.GAME
    if game.name != name:
        raise ValueError(f"the game in {module.__name__} calls itself {game.name!r}")
    return game


def checks(name: str) -> Checks:
    """Return the `CHECKS` of the `checks.py` in the game's folder, or `Checks()` if there is no such file."""
    from engine.abilities import Checks  # who plays or looks needs none

    package = importlib.import_module(package_of(name))
    if not hasattr(package, "__path__") or find_spec(f"{package.__name__}.checks") is None:
        return Checks()
    found: Checks = importlib.import_module(f"{package.__name__}.checks").CHECKS
    return found
