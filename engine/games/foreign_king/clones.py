"""Copies of positions. Made by `python -m engine.kit.cloning engine.games.foreign_king` from state.py: do not edit."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined"
from typing import TypeVar

from engine.chance import Chance

T = TypeVar("T")

_new = object.__new__


def clone_foreign_king_state(self: T, chance: Chance | None = None) -> T:
    """Return an independent copy."""
    del chance  # nothing is drawn
    copy = _new(type(self))
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
