"""The parameters of a game of OpenSpiel: `players`, and the game's options by their names.

A number, a truth value or a word is a parameter of that kind. Any other option (a list, a block, a phrase) is a text,
as on the command line, and empty for the default: OpenSpiel writes parameters as `name=value,...`, and reads no value
with a comma, a bracket or an equals sign in it, so such a one is given in a dict and not in the name of the game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from arena.adapters.setting import GameSetting, setting_of
from engine.core import Game

PLAYERS = "players"
"""The number of seats, as OpenSpiel's own games call it."""
_WORD: Final = re.compile(r"\w+")
Parameters = dict[str, bool | int | float | str]


def parameters_of(game: Game) -> Parameters:
    """Return all parameters with their defaults."""
    defaults = game.options_json(game.parse_options({}))
    return {PLAYERS: game.seats[0], **{name: _simple(value) for name, value in defaults.items()}}


def setting_from(game: Game, given: Mapping[str, Any]) -> GameSetting:
    """Return what is played with these parameters. Raises SeatsError and OptionsError in one line."""
    defaults = parameters_of(game)
    named = {name: value for name, value in given.items() if name != PLAYERS}
    # The default of one option may depend on another, so what was not chosen is left out.
    chosen = {name: value for name, value in named.items() if value != defaults.get(name)}
    return setting_of(game, given.get(PLAYERS, defaults[PLAYERS]), chosen)


def _simple(value: Any) -> bool | int | float | str:
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) else ""
    return value if isinstance(value, bool | int | float) else ""
