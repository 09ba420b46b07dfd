"""Finds games: the folders of `engine/games`, and installed plug-ins (entry point group `arena.games`).

A plug-in is one game: its name, and the module that holds its `GAME`. Or it is a family of many games whose names begin
alike: then its name is that beginning with a `*` behind it (`mine_*`), and its module is a `Family`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from engine.build_info import need_whole
from engine.errors import UnknownGameError
from engine.translatable import Text

if TYPE_CHECKING:
    from engine.abilities import Checks
    from engine.core import Game  # for annotations alone: what is compiled may be what does not load

ENTRY_POINT_GROUP = "arena.games"
_MANY: Final = "*"
_GAMES = str(Path(__file__).with_name("games"))


class Family(Protocol):
    """A module that knows many games."""

    def names(self) -> Sequence[str]:
        """Return the names of the games that are listed, cheaply: it is asked by whoever starts."""

    def get(self, name: str) -> Game:
        """Return the game of that name. Raises UnknownGameError in one line that says why there is none."""


@cache
def _folders() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules([_GAMES]) if module.ispkg))


@cache
def _plugins() -> dict[str, str]:
    """Installed plug-in games: name -> module; a folder of ours wins over a plug-in of the same name."""
    found = {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}
    return {name: value for name, value in found.items() if name not in _folders() and not name.endswith(_MANY)}


@cache
def _families() -> dict[str, str]:
    """Installed families of games: how the names of their games begin -> module."""
    points = [point for point in entry_points(group=ENTRY_POINT_GROUP) if point.name.endswith(_MANY)]
    return {point.name.removesuffix(_MANY): point.value for point in points}


def family_of(name: str) -> str | None:
    """Return the module of the family whose names begin like this one, or None; it may have no game of that name."""
    if name in _folders() or name in _plugins():
        return None
    return next((module for beginning, module in _families().items() if name.startswith(beginning)), None)


def _family(module: str) -> Family:
    found: Family = importlib.import_module(module)
    return found


def single_names() -> tuple[str, ...]:
    """Return the names of the installed games that belong to no family, sorted: what is done with every game."""
    return tuple(sorted((*_folders(), *_plugins())))


def names() -> tuple[str, ...]:
    """Return the names of all installed games, sorted; a family may know more than it lists."""
    return tuple(
        sorted({*single_names(), *(name for module in _families().values() for name in _family(module).names())})
    )


def package_of(name: str) -> str:
    """Return the package of the game of that name. Raises UnknownGameError naming those there are."""
    if name in _folders():
        return f"engine.games.{name}"
    if name in _plugins():
        return _plugins()[name]
    if family := family_of(name):
        return family.rpartition(".")[0] or family
    raise _unknown(name)


def _unknown(name: str) -> UnknownGameError:
    return UnknownGameError(
        Text("there is no game {name}; installed are: {names}", name=repr(name), names=", ".join(single_names()))
    )


def get_listed(name: str) -> Game:
    """Return the game of a name that a stranger chose: one that `names` lists, as others of a family may cost anything.

    Raises UnknownGameError.
    """
    if name not in names():
        raise _unknown(name)
    return get(name)


@cache
def get(name: str) -> Game:
    """Return the game of that name.

    Raises UnknownGameError naming those there are, or saying why it is not, and HalfBuiltError.
    """
    need_whole()
    if family := family_of(name):
        return _family(family).get(name)
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
