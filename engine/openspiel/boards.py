"""Finds out whether a game of OpenSpiel has a board that can be drawn, and which actions stand for its cells."""

from __future__ import annotations

from typing import Any, Final

from engine.openspiel.grid import Rows, find_board, shape_of
from engine.openspiel.picture import place_of
from engine.openspiel.samples import NUMBER, random_states

Shape = tuple[tuple[float, ...], ...]
_NUMBERINGS: Final = ("down", "up", "column")
_MOST_OF: Final = 0.8


def steady_shape(game: Any) -> Shape:
    """Return where the cells of the board are, or nothing if they are not the same in all random playings."""
    shapes = {shape_of(find_board(str(state))) for seed in range(NUMBER) for state in random_states(game, seed)}
    return shapes.pop() if len(shapes) == 1 else ()


def measure(shape: Shape) -> tuple[float, int] | None:
    """Return the widest row, in cells, and the number of rows; None without a board."""
    return (max(row[-1] for row in shape) + 1, len(shape)) if shape else None


def numbering(game: Any) -> str:
    """Return how actions number the cells that they fill, or nothing if most actions do not."""
    return next((kind for kind in _NUMBERINGS if all(_fills(game, seed, kind) for seed in range(NUMBER))), "")


def _fills(game: Any, seed: int, kind: str) -> bool:
    """Return whether the actions of a random playing fill cells of their numbers, but for a few beyond all cells."""
    before: Rows = ()
    moves = filling = 0
    for state in random_states(game, seed):
        after, last = find_board(str(state)), [*state.full_history()][-1:]
        if last and last[0].player >= 0:
            mine = _cells(kind, after, last[0].action)
            if mine and not any(before[line][place].is_empty != after[line][place].is_empty for line, place in mine):
                return False
            moves, filling = moves + 1, filling + bool(mine)
        before = after
    return filling > _MOST_OF * moves


def _cells(kind: str, rows: Rows, action: int) -> list[tuple[int, int]]:
    """Return the cells, by row and place in it, that stand for an action."""
    places = ((line, place) for line, row in enumerate(rows) for place in range(len(row)))
    return [(line, place) for line, place in places if place_of(kind, rows, line, place) == f"A{action}"]
