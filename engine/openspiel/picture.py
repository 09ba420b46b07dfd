"""Draws the board of a game of OpenSpiel, where its words show one: discs with their signs, cells to click on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.abilities import View
from engine.core import AbilityError
from engine.kit.drawing import group, part, text
from engine.openspiel.grid import Cell, Rows, find_board, is_fen, shape_of
from engine.openspiel.hidden import SeenState
from engine.picture import Picture
from engine.text import Text

if TYPE_CHECKING:
    from engine.openspiel.state import OpenSpielState

SIZE: Final = 40
"""Of a cell."""
_LIGHT: Final = "oOwW0"
_DARK: Final = "xXbB@*"
_BLOCKED: Final = "#"
_STYLE: Final = (
    "text{font-family:sans-serif;font-size:18px;text-anchor:middle}"
    ".f{fill:#e9e2c9;stroke:#b8ad8a}.d{fill:#333;stroke:#000}.l{fill:#fff;stroke:#000}.b{fill:#777}.k{fill:#fff}"
    ".n{fill:none;stroke:#d55e00;stroke-width:3}"
)


def draw(state: OpenSpielState | SeenState, view: View) -> Picture:
    """Return the board, a part for each cell. Raises AbilityError if the game has none, or hides what is on it."""
    facts = state.game.facts
    if isinstance(state, SeenState) or facts.board is None:
        raise AbilityError(
            Text("engine.game_no_picture_shown_text", "this game has no picture; it is shown as text only")
        )
    words = str(state.inner)
    rows, is_letters = find_board(words), is_fen(words)
    before = find_board(str(view.last.before.inner)) if view.last is not None else rows
    columns, lines = facts.board
    width, height = int((columns + 1) * SIZE), (lines + 1) * SIZE
    is_square = len(set(shape_of(rows))) == 1
    parts = []
    for line, row in enumerate(rows):
        for place, cell in enumerate(row):
            drawn = _cell(cell, is_letters=is_letters, is_square=is_square)
            if _was_changed(before, line, place, cell):
                drawn += f'<circle class="n" r="{SIZE * 0.44:g}"/>'
            where = group((cell.x + 1) * SIZE, (line + 1) * SIZE, drawn)
            parts.append(part(where, place=place_of(facts.clicks, rows, line, place)))
    return Picture(width, height, " ".join(words.split())[:200], _STYLE, "", tuple(parts))


def place_of(clicks: str, rows: Rows, line: int, place: int) -> str:
    """Return the notation of the action that a click on a cell chooses, or nothing; `clicks` is their numbering."""
    above = {"down": line, "up": len(rows) - 1 - line, "column": 0, "": 0}[clicks]
    return f"A{above * max(map(len, rows)) + place}" if clicks else ""


def _was_changed(before: Rows, line: int, place: int, cell: Cell) -> bool:
    return line < len(before) and place < len(before[line]) and before[line][place].sign != cell.sign


def _cell(cell: Cell, *, is_letters: bool, is_square: bool) -> str:
    half = SIZE / 2
    field = f'<rect class="f" x="{-half:g}" y="{-half:g}" width="{SIZE}" height="{SIZE}"/>'
    field = field if is_square else f'<circle class="f" r="{half - 1:g}"/>'
    if cell.is_empty:
        return field
    if cell.sign == _BLOCKED:
        return f'{field}<rect class="b" x="{2 - half:g}" y="{2 - half:g}" width="{SIZE - 4}" height="{SIZE - 4}"/>'
    is_dark = cell.sign.islower() if is_letters or cell.sign not in _LIGHT + _DARK else cell.sign in _DARK
    disc = f'<circle class="{"d" if is_dark else "l"}" r="{SIZE * 0.4:g}"/>'
    return field + disc + text(0, 6, cell.sign, "k" if is_dark else "")
