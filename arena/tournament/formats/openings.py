"""Draws the opening of a block: random legal actions, or deterministic bots would repeat themselves. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from engine.chance import SeededChance
from engine.core import Game

_SAMPLES = 32
"""So many games of random plies tell how long an opening may be."""


def draw_opening(
    game: Game, *, seats: int, options: Any, chance_seed: int, seed: int, plies: int | None = None
) -> tuple[int, ...]:
    """Return up to `plies` actions from the initial position, each drawn uniformly from the legal ones.

    `plies=None` means `game.opening_plies(seats)`; forced actions are plies too. Dice and piles are those of
    `chance_seed`, as in the match itself. An opening with which the game would end stops before its last choice, so
    that somebody always has a decision to make, unless the game has none. Raises SeatsError.
    """
    game.check_seats(seats)
    wanted = game.opening_plies(seats) if plies is None else plies
    opening, last_choice = list[int](), 0
    for ply in islice(_random_plies(game, seats, options, chance_seed, seed), wanted):
        if ply.is_choice:
            last_choice = len(opening)
        opening.append(ply.action)
        if ply.ends_game:
            return tuple(opening[:last_choice])
    return tuple(opening)


def longest_opening(game: Game, *, seats: int, options: Any, plies: int) -> int | None:
    """Return the longest opening that leaves a choice in each of some random games, or `None` if `plies` do.

    It is the same for the same game, seats and options, whatever is drawn in a tournament.
    """
    longest = None
    for seed in range(_SAMPLES):
        last_choice = 0
        for number, ply in enumerate(_random_plies(game, seats, options, seed, seed)):
            if ply.is_choice:
                last_choice = number
                if number >= plies:
                    break
        else:
            longest = last_choice if longest is None else min(longest, last_choice)
    return longest


@dataclass(frozen=True, slots=True)
class _Ply:
    action: int
    is_choice: bool
    """Whether there was another legal action."""
    ends_game: bool


def _random_plies(game: Game, seats: int, options: Any, chance_seed: int, seed: int) -> Iterator[_Ply]:
    """Yield uniformly random plies from the initial position to the end of the game."""
    state = game.new_state(seats, options, SeededChance(chance_seed))
    generator = Random(seed)
    while state.seat() is not None:
        legal = state.legal_actions()
        # Only random() is guaranteed to repeat across Python versions.
        action = legal[int(generator.random() * len(legal))]
        state.apply(action)
        yield _Ply(action, len(legal) > 1, state.seat() is None)
