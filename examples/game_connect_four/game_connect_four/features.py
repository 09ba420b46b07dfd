"""What programs that learn see of a position: a plane of the board for the discs of each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.features import Featured, packed, per_seat
from game_connect_four.board import COLUMNS, ROWS
from game_connect_four.state import ConnectFourState

_PARTS: Final = (packed("discs", "discs of the seat", 1, per_seat(2), bits=1),)
_OWN_AND_OTHER: Final = ((1, 2, 0), (2, 1, 0))
"""For the seat that looks, what a disc of seat 0, of seat 1 and an empty square (-1) are: bits of the two planes."""


def numbers_of(state: ConnectFourState, seat: int) -> Sequence[int]:
    """Return which plane each square is in."""
    plane = _OWN_AND_OTHER[seat]
    return [plane[disc] for disc in state.squares]


FEATURED: Final = Featured(
    board=lambda _seats, _options: (COLUMNS, ROWS),
    parts=lambda _seats, _options: _PARTS,
    numbers=numbers_of,
)
