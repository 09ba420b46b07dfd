"""How good a position is for each seat, by a quick look: lines that can still be filled, and the discs in them."""

from __future__ import annotations

from math import exp
from typing import Final

from engine.abilities import Playable
from game_connect_four.board import lines
from game_connect_four.rules import RANKS
from game_connect_four.state import END, ConnectFourState

_EXACT: Final = {(1, 2): (1.0, 0.0), (2, 1): (0.0, 1.0), (1, 1): (0.5, 0.5)}
_WORTH: Final = (0, 1, 4, 16, 64)
_WIDTH: Final = 24.0
"""A lead of so much in open lines wins about three games of four."""


def evaluate_all(state: ConnectFourState) -> tuple[float, float]:
    """Return the chance of each seat to win as the open lines promise it; exact after the end."""
    if state.phase == END:
        return _EXACT[RANKS[state.winner]]
    first = 1 / (1 + exp((open_worth(state, 1) - open_worth(state, 0)) / _WIDTH))
    return first, 1 - first


def open_worth(state: ConnectFourState, seat: int) -> int:
    """Return what the lines without a disc of the other seat are worth to `seat`."""
    squares, other, worth = state.squares, 1 - seat, 0
    for line in lines(state.options.line):
        found = [squares[place] for place in line]
        if other not in found:
            worth += _WORTH[found.count(seat)]
    return worth


PLAYABLE: Final = Playable(evaluate_all=evaluate_all, usual_decisions=lambda _seats: 30)
