"""How people see a position: as text for a terminal, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.abilities import Move, Shown, View
from engine.picture import Picture, group, part, text
from game_connect_four.board import ACTIONS, COLUMNS, ROWS, square
from game_connect_four.state import END, NOBODY, ConnectFourState

SIGNS: Final = "XO."
"""Of seat 0, of seat 1, of an empty square."""
_SIZE: Final = 60
_FILLS: Final = ("#d55e00", "#0072b2")
_STYLE: Final = "text{font-family:sans-serif;font-size:18px;text-anchor:middle}.w{fill:#fff;font-weight:bold}"
_WORDS: Final = {
    "en": {
        "turn": "{} drops a disc",
        "won": "{} wins",
        "level": "level",
        "drop": "column {}",
        "told": "{} drops a disc into column {}.",
    },
    "de": {
        "turn": "{} ist am Zug",
        "won": "{} gewinnt",
        "level": "unentschieden",
        "drop": "Spalte {}",
        "told": "{} wirft einen Stein in Spalte {}.",
    },
}


def labels(language: str) -> Mapping[str, str]:
    """Return the names of the actions for people."""
    word = _words(language)["drop"]
    return {name: word.format(column + 1) for column, name in enumerate(ACTIONS.names)}


def status(state: ConnectFourState, language: str) -> str:
    """Return who is to drop a disc, or how the game ended."""
    words = _words(language)
    if state.phase != END:
        return words["turn"].format(SIGNS[len(state.dropped) % 2])
    return words["level"] if state.winner == NOBODY else words["won"].format(SIGNS[state.winner])


def render_text(state: ConnectFourState, seat: int | None, language: str) -> str:
    """Return the board from the top row down, and what is to be done."""
    del seat
    rows = [" ".join(_signs(state, row)) for row in reversed(range(ROWS))]
    return "\n".join([*rows, " ".join(str(column + 1) for column in range(COLUMNS)), status(state, language)]) + "\n"


def _signs(state: ConnectFourState, row: int) -> list[str]:
    return [SIGNS[state.squares[square(column, row)]] for column in range(COLUMNS)]


def draw(state: ConnectFourState, view: View) -> Picture:
    """Return the board as a picture: a part for each column, which a click on it drops a disc into."""
    width, height = COLUMNS * _SIZE, (ROWS + 1) * _SIZE
    columns = (part(_column(state, column), place=name) for column, name in enumerate(ACTIONS.names))
    said = part(text(width / 2, height - 22, status(state, view.language)))
    return Picture(width, height, status(state, view.language), _STYLE, "", (*columns, part(_last(state, view)), said))


def _column(state: ConnectFourState, column: int) -> str:
    x = (column + 0.5) * _SIZE
    discs = (group(x, _y(row), _disc(state.squares[square(column, row)])) for row in range(ROWS))
    return f'<rect x="{column * _SIZE}" width="{_SIZE}" height="{ROWS * _SIZE}" fill="#e9e2c9"/>{"".join(discs)}'


def _y(row: int) -> float:
    return (ROWS - row - 0.5) * _SIZE


def _last(state: ConnectFourState, view: View) -> str:
    """Return a ring around the disc that the last move dropped; every colour has a letter too."""
    if view.last is None:
        return ""
    column = state.dropped[-1]
    ring = '<circle r="27" fill="none" stroke="#222" stroke-width="3"/>'
    return group((column + 0.5) * _SIZE, _y(state.heights[column] - 1), ring)


def _disc(seat: int) -> str:
    if seat < 0:
        return '<circle r="24" fill="#fff" stroke="#999"/>'
    return f'<circle r="24" fill="{_FILLS[seat]}" stroke="#222"/>{text(0, 6, SIGNS[seat], "w")}'


def describe(move: Move, language: str) -> Sequence[str]:
    """Return what a move was, and how the game ended if it was the last."""
    told = _words(language)["told"].format(SIGNS[move.seat], move.action + 1)
    return [told] if move.after.seat() is not None else [told, f"{status(move.after, language).capitalize()}."]


def _words(language: str) -> Mapping[str, str]:
    return _WORDS.get(language, _WORDS["en"])


SHOWN: Final = Shown(
    text=render_text,
    picture=draw,
    labels=labels,
    languages=tuple(_WORDS),
    seat_name=lambda seat, _: SIGNS[seat],
    seat_colours=_FILLS,
    describe=describe,
)
