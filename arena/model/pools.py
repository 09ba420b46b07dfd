"""A pool: matches that are rated together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine import registry
from engine.core import EngineError


@dataclass(frozen=True, slots=True)
class Pool:
    """What all matches of a pool have in common."""

    pool_id: str
    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any]
    time_control: str
    cores: int
    remote: bool = False
    """Whether bots play in it that their authors run elsewhere."""


def special_options(pool: Pool) -> dict[str, Any]:
    """Return the options that differ from the game's defaults; all of a game that is not installed."""
    try:
        game = registry.get(pool.game)
        usual = game.options_json(game.parse_options({}))
    except EngineError:
        usual = {}
    return {name: value for name, value in pool.options.items() if usual.get(name) != value}
