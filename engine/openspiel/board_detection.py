"""Finds the board in OpenSpiel's text of a position, and which actions stand for its cells. No I/O.

A board is written as a FEN, as rows without spaces (`+++X+++O+`) or with one between the cells (`. x . o .`), in which
rows may begin further right, as in Hex. Numbers and letters beside it are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.openspiel.library import SAMPLES, random_states, without_colour

EMPTY: Final = ".+-_~ "
"""Signs of an empty cell."""
_FEN: Final = re.compile(r"(?:[A-Za-z0-9+~]+/){3,}[A-Za-z0-9+~]+(?=\s|\[|$)")
_FEN_CELL: Final = re.compile(r"\d+|\+?[A-Za-z]~?")
_ALPHABETS: Final = ("abcdefghijklmnopqrstuvwxyz", "abcdefghjklmnopqrstuvwxyz")
_FEWEST: Final = 3
"""Rows, and cells of a row, that make a board."""
_BRACKETS: Final = str.maketrans("[]", "  ")
_NUMBERINGS: Final = ("down", "up", "column")
_MOST_OF: Final = 0.8
"""How many of the actions of a playing must fill a cell for the cells to be numbered by them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of a board with what stands on it."""

    x: float
    """In widths of a cell from the left edge of the text."""
    sign: str

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands on it."""
        return self.sign in EMPTY


Rows = Sequence[Sequence[Cell]]
Shape = tuple[tuple[float, ...], ...]


def find_board(text: str) -> Rows:
    """Return the rows of the board in a text from the top down, or none if there is no board in it."""
    found = _FEN.match(text)
    if found:
        rows = []
        for row in found.group().split("/"):
            signs: list[str] = []
            for sign in _FEN_CELL.findall(row):
                signs += ["."] * int(sign) if sign.isdigit() else [sign]
            rows.append([Cell(place, sign) for place, sign in enumerate(signs)])
        return rows if len({len(row) for row in rows}) == 1 else []
    best: list[list[Cell]] = []
    run: list[list[Cell]] = []
    for line in [*without_colour(text).splitlines(), ""]:
        cells = list(_cells_of(line.translate(_BRACKETS)))
        if len(cells) >= (1 if len(run) >= _FEWEST else _FEWEST):  # a triangle ends with a single cell
            run.append(cells)
            continue
        best, run = max(best, run, key=len), []
    left = min((row[0].x for row in best), default=0)
    return [[Cell(cell.x - left, cell.sign) for cell in row] for row in best] if len(best) >= _FEWEST else []


def is_fen(text: str) -> bool:
    """Return whether the board is written as a FEN, in which capitals are the first colour's."""
    return _FEN.match(text) is not None


def shape_of(rows: Rows) -> Shape:
    """Return where the cells are, row by row."""
    return tuple(tuple(cell.x for cell in row) for row in rows)


def steady_shape(game: Any) -> Shape:
    """Return where the cells of the board are, or nothing if they are not the same in all random playings."""
    shapes = {shape_of(find_board(str(state))) for seed in range(SAMPLES) for state in random_states(game, seed)}
    return shapes.pop() if len(shapes) == 1 else ()


def measure(shape: Shape) -> tuple[float, int] | None:
    """Return the widest row, in cells, and the number of rows; None without a board."""
    return (max(row[-1] for row in shape) + 1, len(shape)) if shape else None


def place_of(clicks: str, rows: Rows, line: int, place: int) -> str:
    """Return the notation of the action that a click on a cell chooses, or nothing; `clicks` is their numbering."""
    above = {"down": line, "up": len(rows) - 1 - line, "column": 0, "": 0}[clicks]
    return f"A{above * max(map(len, rows)) + place}" if clicks else ""


def numbering(game: Any) -> str:
    """Return how actions number the cells that they fill, or nothing if most actions do not."""
    return next((kind for kind in _NUMBERINGS if all(_fills(game, seed, kind) for seed in range(SAMPLES))), "")


def _cells_of(line: str) -> Iterator[Cell]:
    """Yield the cells of a line, none if it is no row of a board."""
    tokens = [(found.start(), found.group()) for found in re.finditer(r"\S+", line)]
    if len(tokens) > 1 and tokens[0][1].isdigit():  # the number of the row, on both sides or with a letter on the other
        sign = tokens[-1][1]
        is_label = sign.isdigit() or (sign.isalpha() and sign.islower())
        tokens = tokens[1:-1] if is_label and len(tokens) > _FEWEST else tokens[1:]
    if len(tokens) == 1 and len(tokens[0][1]) >= _FEWEST:
        signs = tokens[0][1]
        if signs[0].isdigit() and not any(sign.isdigit() for sign in signs[1:]):
            signs = signs[1:]
        cells = [Cell(place, sign) for place, sign in enumerate(signs)]
    elif all(len(sign) == 1 for _, sign in tokens):
        cells = [Cell(start / 2, sign) for start, sign in tokens]
    else:
        return
    letters = "".join(cell.sign for cell in cells).lower()
    if len(letters) < _FEWEST or not any(letters in alphabet for alphabet in _ALPHABETS):
        yield from cells


def _fills(game: Any, seed: int, kind: str) -> bool:
    """Return whether the actions of a random playing fill cells of their numbers, but for a few beyond all cells."""
    before: Rows = ()
    moves = filling = 0
    for state in random_states(game, seed):
        after, last = find_board(str(state)), [*state.full_history()][-1:]
        if last and last[0].player >= 0:
            chosen = f"A{last[0].action}"
            cells = ((line, place) for line, row in enumerate(after) for place in range(len(row)))
            mine = [(line, place) for line, place in cells if place_of(kind, after, line, place) == chosen]
            if mine and not any(before[line][place].is_empty != after[line][place].is_empty for line, place in mine):
                return False
            moves, filling = moves + 1, filling + bool(mine)
        before = after
    return filling > _MOST_OF * moves
