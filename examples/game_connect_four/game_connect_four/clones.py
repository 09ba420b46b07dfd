"""Copies of positions. Made by `python -m engine.kit.cloning game_connect_four` from state.py: do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.chance import Chance
    from game_connect_four.state import ConnectFourState


def clone_connect_four_state(self: ConnectFourState, chance: Chance | None = None) -> ConnectFourState:
    """Return an independent copy."""
    del chance  # nothing is drawn
    copy = type(self)()
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
