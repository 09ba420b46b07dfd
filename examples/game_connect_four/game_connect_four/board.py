"""The board: seven columns of six squares, numbered column by column from the bottom, and the lines on it."""

from __future__ import annotations

from functools import cache
from typing import Final

from engine.core import ActionTable

COLUMNS: Final = 7
ROWS: Final = 6
SQUARES: Final = COLUMNS * ROWS

ACTIONS: Final = ActionTable([f"DROP_{column}" for column in range(1, COLUMNS + 1)])
"""Action `column` drops a disc into that column, counted from 0; people count from 1."""

_DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def square(column: int, row: int) -> int:
    """Return the number of a square; row 0 is the lowest."""
    return column * ROWS + row


@cache
def lines(length: int) -> tuple[tuple[int, ...], ...]:
    """Return every straight line of that many squares."""
    found = []
    for column in range(COLUMNS):
        for row in range(ROWS):
            for right, up in _DIRECTIONS:
                places = [(column + right * step, row + up * step) for step in range(length)]
                if all(0 <= c < COLUMNS and 0 <= r < ROWS for c, r in places):
                    found.append(tuple(square(c, r) for c, r in places))
    return tuple(found)


@cache
def lines_through(length: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return for every square the lines of that length it lies on."""
    return tuple(tuple(line for line in lines(length) if place in line) for place in range(SQUARES))
