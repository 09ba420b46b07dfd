"""Copies of positions. Made by `python -m engine.kit.cloning engine.games.foreign_king` from state.py: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.chance import Chance
    from engine.games.foreign_king.state import ForeignKingState


def clone_foreign_king_state(self: ForeignKingState, chance: Chance | None = None) -> ForeignKingState:
    """Return an independent copy."""
    del chance  # nothing is drawn
    copy = type(self)()
    copy.seats = self.seats
    copy.options = self.options
    copy.phase = self.phase
    copy.decider = self.decider
    copy.active = self.active
    copy.round = self.round
    copy.order = self.order
    copy.turn = self.turn
    copy.king = self.king
    copy.marker = self.marker
    copy.scores = self.scores[:]
    copy.second_score = self.second_score
    copy.hand = self.hand[:]
    copy.congress = self.congress[:]
    copy.discs = self.discs[:]
    copy.occupied = self.occupied[:]
    copy.francs = self.francs[:]
    copy.medals = self.medals[:]
    copy.loans = self.loans[:]
    copy.pawns = self.pawns[:]
    copy.free_spaces = self.free_spaces
    copy.factories = self.factories[:]
    copy.inactive_count = self.inactive_count
    copy.supply = self.supply
    copy.claims = self.claims
    copy.asked = self.asked
    copy.units = self.units
    copy.province = self.province
    copy.steps = self.steps
    copy.last = self.last
    copy.post = self.post
    copy.legal = self.legal
    return copy
