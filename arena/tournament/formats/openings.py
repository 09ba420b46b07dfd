"""Draws what the matches of a block share: its opening and its chance seed. No I/O."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.format import CircularOrder
from engine.chance import SeededChance
from engine.core import Game
from ratings.statistics.blocks import Block

_SAMPLES = 32
"""So many games of random plies tell how long an opening may be."""


@dataclass(frozen=True, slots=True)
class BlockDraw:
    """What all blocks of a tournament are drawn from; a block is a function of this, its index and its order."""

    game: Game
    seats: int
    options: Any
    """As `Game.parse_options` returns them."""
    secret: bytes
    opening_plies: int
    """How many random plies open each match."""
    blocks_per_seed: int = 1
    """How many successive blocks share opening and chance seed."""

    def block(self, index: int, order: CircularOrder) -> Block:
        """Return the block at place `index` of the schedule (from 0), with opening and chance seed."""
        return self._drawn(index, order)

    def single_match(self, seating: CircularOrder) -> Block:
        """Return the block of a single match: of its rotations only the first, `seating`, is played."""
        return self._drawn(0, seating, is_single=True)

    def _drawn(self, index: int, order: CircularOrder, *, is_single: bool = False) -> Block:
        number = index // self.blocks_per_seed
        chance_seed = seeds.chance_seed(self.secret, number)
        opening = draw_opening(
            self.game,
            seats=self.seats,
            options=self.options,
            chance_seed=chance_seed,
            seed=seeds.opening_seed(self.secret, number),
            plies=self.opening_plies,
        )
        return Block(index, order, opening, chance_seed, is_single)


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
