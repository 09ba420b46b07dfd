"""The options of a pool that are worth telling."""

from __future__ import annotations

from typing import Any

from engine import registry
from engine.core import EngineError
from ratings.values.pools import Pool


def special_options(pool: Pool) -> dict[str, Any]:
    """Return the options that differ from the game's defaults; all of a game that is not installed."""
    try:
        game = registry.get(pool.game)
        usual = game.options_json(game.parse_options({}))
    except EngineError:
        usual = {}
    return {name: value for name, value in pool.options.items() if usual.get(name) != value}
