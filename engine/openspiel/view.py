"""How people see a position of a game of OpenSpiel: its text, its actions in words, and the board as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from engine.abilities import Move, Shown, View
from engine.core import AbilityError
from engine.openspiel.board_detection import Cell, find_board, is_fen, place_of, shape_of
from engine.openspiel.library import without_colour, words_of
from engine.openspiel.state import DRAW, OpenSpielState, SeenState, look
from engine.picture import Picture, group, part, text
from engine.translatable import Text

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

SIZE: Final = 40
"""The width and the height of a cell."""
_LIGHT: Final = "oOwW0"
_DARK: Final = "xXbB@*"
_BLOCKED: Final = "#"
_STYLE: Final = (
    "text{font-family:sans-serif;font-size:18px;text-anchor:middle}"
    ".f{fill:#e9e2c9;stroke:#b8ad8a}.d{fill:#333;stroke:#000}.l{fill:#fff;stroke:#000}.b{fill:#777}.k{fill:#fff}"
    ".n{fill:none;stroke:#d55e00;stroke-width:3}"
)
_UNKNOWN_ACTION: Final = "acts; only some seats know how"


@cache
def shown_of(game: OpenSpielGame) -> Shown:
    """Return how the game is shown."""
    return Shown(
        text=render_text, picture=draw, labels=partial(_labels, game), describe=describe_move, choice=describe_choice
    )


@cache
def _names(count: int) -> Mapping[str, str]:
    return {**{f"A{action}": f"A{action}" for action in range(count)}, DRAW: "chance"}


def _labels(game: OpenSpielGame, language: str) -> Mapping[str, str]:
    """Return the notations for names: OpenSpiel has words for an action only where it can be chosen."""
    del language
    return _names(len(game.actions))


def render_text(state: OpenSpielState | SeenState, seat: int | None, language: str) -> str:
    """Return OpenSpiel's words for the position, or for what the seat sees of it.

    Whoever shows a match that goes on shows what was read of what a seat is sent, and never the whole position.
    """
    del language
    if isinstance(state, SeenState):
        return _clean(state.text)
    if state.game.has_hidden_information and seat is not None:
        return _clean(look(state, seat).text)
    return _clean(str(state.inner))


def _clean(text: str) -> str:
    return (without_colour(text).rstrip("\n") or "-") + "\n"


def describe_choice(state: OpenSpielState | SeenState, notation: str, language: str) -> str:
    """Return OpenSpiel's words for a legal action, or its notation where they might tell what is hidden."""
    del language
    action = state.game.actions.parse(notation)
    if not isinstance(state, SeenState):
        return words_of(state.inner, action)
    return dict(zip(state.legal, state.words, strict=False)).get(action, notation)


def describe_move(move: Move, language: str) -> Sequence[str]:
    """Return the words for the action, as far as the seat that looks knows it, and for what all know was drawn."""
    before, after = move.before, move.after
    if isinstance(before, SeenState) and isinstance(after, SeenState):
        is_own = move.seat == before.observer
        return (describe_choice(before, move.notation, language) if is_own or after.knows_last else _UNKNOWN_ACTION,)
    told, inner = [words_of(before.inner, move.action)], before.inner.child(move.action)
    known = [reveal.values[0] for reveal in after.revealed()]
    for step in after.draws:
        if known and known[0] == step.action:
            told.append(f"chance: {words_of(inner, known.pop(0))}")
        inner = inner.child(step.action)
    return tuple(told)


def draw(state: OpenSpielState | SeenState, view: View) -> Picture:
    """Return the board, a part for each cell. Raises AbilityError if the game has none, or hides what is on it."""
    facts = state.game.facts
    if isinstance(state, SeenState) or facts.board is None:
        raise AbilityError(Text("this game has no picture; it is shown as text only"))
    words = str(state.inner)
    rows, is_letters = find_board(words), is_fen(words)
    before = find_board(str(view.last.before.inner)) if view.last is not None else rows
    columns, lines = facts.board
    width, height = int((columns + 1) * SIZE), (lines + 1) * SIZE
    is_square = len(set(shape_of(rows))) == 1
    parts = []
    for line, row in enumerate(rows):
        for place, cell in enumerate(row):
            drawn = _draw_cell(cell, is_letters=is_letters, is_square=is_square)
            if line < len(before) and place < len(before[line]) and before[line][place].sign != cell.sign:
                drawn += f'<circle class="n" r="{SIZE * 0.44:g}"/>'
            where = group((cell.x + 1) * SIZE, (line + 1) * SIZE, drawn)
            parts.append(part(where, place=place_of(facts.clicks, rows, line, place)))
    return Picture(width, height, " ".join(words.split())[:200], _STYLE, "", tuple(parts))


def _draw_cell(cell: Cell, *, is_letters: bool, is_square: bool) -> str:
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
