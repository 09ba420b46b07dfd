"""Draws what the matches of a block share: opening and chance seed. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.tournament.formats import seeds
from arena.tournament.formats.openings import draw_opening
from arena.tournament.formats.situation import CircularOrder
from engine.core import Game
from ratings.ledger.planning import BlockPlan, MatchPlan


@dataclass(frozen=True, slots=True)
class BlockMaker:
    """What all blocks of a tournament share; a block is a function of this and of its index."""

    game: Game
    seats: int
    options: Any
    secret: bytes
    opening_plies: int | None
    """None is the game's own default."""

    def block(self, index: int, order: CircularOrder, sharing: int = 1) -> BlockPlan:
        """A circular order in all its rotations; `sharing` successive blocks have one opening and one chance seed."""
        return self.part(index, [order[shift:] + order[:shift] for shift in range(len(order))], index // sharing)

    def part(self, index: int, pairings: Sequence[tuple[str, ...]], drawn: int | None = None) -> BlockPlan:
        """Only these pairings, each a rotation of its own; opening and seed of number `drawn`, by default its index."""
        number = index if drawn is None else drawn
        chance_seed = seeds.chance_seed(self.secret, number)
        opening = draw_opening(
            self.game,
            seats=self.seats,
            options=self.options,
            chance_seed=chance_seed,
            seed=seeds.opening_seed(self.secret, number),
            plies=self.opening_plies,
        )
        return BlockPlan(index, opening, chance_seed, [MatchPlan(turn, seated) for turn, seated in enumerate(pairings)])
