"""The installed games as a viewer names them."""

from __future__ import annotations

from arena.model.errors import unknown
from engine import registry
from engine.core import Game


def find_game(name: str) -> Game:
    """Return the installed game of that name. Raises UnknownError, with the nearest name, if there is none.

    A family of games says itself why it has none of that name: UnknownGameError.
    """
    if name not in registry.names() and not registry.family_of(name):
        raise unknown("game", name, registry.names(), "`arena game list` shows all")
    return registry.get(name)
