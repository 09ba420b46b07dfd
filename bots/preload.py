"""Loads the engine's games before a match needs them."""

from __future__ import annotations

from functools import cache
from random import Random

from engine import registry


@cache
def preload_rules() -> None:
    """Import every installed game and use it once, so that no decision has to wait for an import."""
    for name in registry.names():
        game = registry.get(name)
        state = game.new_state(game.seats[0])
        _, message = game.encode_observation(state, 0)
        seen = game.observed(message)
        if game.playable is not None:
            game.playable.evaluate(game.playable.determinize(seen, Random(0)), 0)
