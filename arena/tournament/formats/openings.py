"""Draws the opening of a block: random legal actions, or deterministic bots would repeat themselves. No I/O."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.chance import SeededChance
from engine.core import Game


def draw_opening(
    game: Game, *, seats: int, options: Any, chance_seed: int, seed: int, plies: int | None = None
) -> tuple[int, ...]:
    """Return up to `plies` actions from the initial position, each drawn uniformly from the legal ones.

    `plies=None` means `game.opening_plies(seats)`; forced actions are plies too. Dice and piles are those of
    `chance_seed`, as in the match itself. The opening stops before the action that would end the game, so that somebody
    always has a decision to make. Raises SeatsError.
    """
    game.check_seats(seats)
    state = game.new_state(seats, options, SeededChance(chance_seed))
    generator = Random(seed)
    opening: list[int] = []
    for _ in range(game.opening_plies(seats) if plies is None else plies):
        legal = state.legal_actions()
        # Only random() is guaranteed to repeat across Python versions.
        action = legal[int(generator.random() * len(legal))]
        state.apply(action)
        if state.seat() is None:
            break
        opening.append(action)
    return tuple(opening)
