"""Copies of positions. Made by `python -m engine.kit.cloning game_connect_four` from state.py: do not edit."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined"
from typing import TypeVar

from engine.chance import Chance

T = TypeVar("T")

_new = object.__new__


def clone_connect_four_state(self: T, chance: Chance | None = None) -> T:
    """Return an independent copy."""
    del chance  # nothing is drawn
    copy = _new(type(self))
    copy.seats = self.seats
    copy.options = self.options
    copy.dropped = self.dropped[:]
    copy.phase = self.phase
    copy.decider = self.decider
    copy.squares = self.squares[:]
    copy.heights = self.heights[:]
    copy.winner = self.winner
    copy.legal = self.legal
    return copy
