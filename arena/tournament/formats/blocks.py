"""Draws what the matches of a block share: opening and chance seed. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.tournament.formats import seeds
from arena.tournament.formats.openings import draw_opening
from arena.tournament.formats.situation import CircularOrder
from engine.core import Game
from ratings.statistics.blocks import Block


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
