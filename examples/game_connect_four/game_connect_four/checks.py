"""What tests ask of the game: the options that they go round, and what holds in every position."""

from __future__ import annotations

from typing import Final

from engine.abilities import Checks
from engine.core import InvariantError
from game_connect_four.board import COLUMNS, square
from game_connect_four.state import EMPTY, ConnectFourState


def check_invariants(state: ConnectFourState) -> None:
    """Raise InvariantError unless both seats have dropped in turn and no disc hangs in the air."""
    counts = [state.squares.count(seat) for seat in range(2)]
    if counts[0] - counts[1] not in (0, 1) or sum(counts) != len(state.dropped):
        raise InvariantError(f"the seats have {counts} discs after {len(state.dropped)} drops")
    for column in range(COLUMNS):
        discs = [state.squares[square(column, row)] for row in range(state.heights[column])]
        if EMPTY in discs:
            raise InvariantError(f"a disc hangs in the air in column {column}")


CHECKS: Final = Checks(variants=({}, {"line": 3}, {"line": 5}), check_invariants=check_invariants)
