"""What stands on the board: the declared fields of a position, and how a disc comes to rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.core import PositionError
from engine.kit.field_codecs import ListOf, Number, OptionsForm
from engine.kit.fields import PositionForm, stated, unstated
from engine.kit.phases import PhasedState
from game_connect_four import clones
from game_connect_four.board import COLUMNS, ROWS, SQUARES, lines_through, square
from game_connect_four.options import OPTIONS, Options

EMPTY: Final = -1
NOBODY: Final = -1
PHASES: Final = ("DROP", "END")
DROP, END = range(len(PHASES))


@dataclass(slots=True, init=False, eq=False, repr=False)
class ConnectFourState(PhasedState):
    """A position of Connect Four. JSON tells the columns chosen so far, from which the board follows."""

    clone = clones.clone_connect_four_state

    seats: int = stated(Number(2, 2))
    options: Options = stated(OptionsForm(OPTIONS))
    dropped: list[int] = stated(ListOf(Number(0, COLUMNS - 1), most=SQUARES), start=lambda _: [])
    phase: int = unstated(DROP)
    decider: int | None = unstated(0)
    squares: list[int] = unstated(lambda _: [EMPTY] * SQUARES)
    """The seat whose disc lies on each square, or EMPTY."""
    heights: list[int] = unstated(lambda _: [0] * COLUMNS)
    winner: int = unstated(NOBODY)
    legal: Sequence[int] | None = unstated(None, derived=False)

    def to_json(self) -> dict[str, Any]:
        return POSITION.write(self)


def drop(state: ConnectFourState, column: int) -> None:
    """Let a disc of the seat that decides fall; the other is next, unless that was a line or the last square."""
    place, seat, squares = square(column, state.heights[column]), len(state.dropped) % 2, state.squares
    squares[place] = seat
    state.heights[column] += 1
    state.dropped.append(column)
    if any(all(squares[other] == seat for other in line) for line in lines_through(state.options.line)[place]):
        state.winner = seat
    if state.winner != NOBODY or len(state.dropped) == SQUARES:
        state.phase, state.decider = END, None
    else:
        state.decider = 1 - seat


def drop_all(state: ConnectFourState) -> None:
    """Set up the board from the columns chosen. Raises PositionError if a disc could not be dropped there."""
    columns, state.dropped = state.dropped, []
    for index, column in enumerate(columns):
        if state.phase == END or state.heights[column] == ROWS:
            raise PositionError(f"dropped[{index}]: no disc can be dropped into column {column} any more")
        drop(state, column)


POSITION: Final = PositionForm(ConnectFourState, "connect_four", version=1, derive=drop_all)
