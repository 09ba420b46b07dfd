"""A family of games for tests: the game `script` under names that begin with `script_`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.core import Game, UnknownGameError
from tests.support.script_game import ScriptGame


def names() -> Sequence[str]:
    return ("script_one", "script_two")


@cache
def get(name: str) -> Game:
    if name == "script_broken":
        raise UnknownGameError("script_broken cannot be played: it is broken")
    game = ScriptGame()
    game.name = name
    return game
