"""How people see a position: as text for a terminal, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.abilities import Shown
from engine.kit.drawing import document, group, text
from game_connect_four.board import ACTIONS, COLUMNS, ROWS, square
from game_connect_four.state import END, NOBODY, ConnectFourState

SIGNS: Final = "XO."
"""Of seat 0, of seat 1, of an empty square."""
_SIZE: Final = 60
_FILLS: Final = ("#d55e00", "#0072b2")
_STYLE: Final = "text{font-family:sans-serif;font-size:18px;text-anchor:middle}.w{fill:#fff;font-weight:bold}"
_WORDS: Final = {
    "en": {"turn": "{} drops a disc", "won": "{} wins", "level": "level", "drop": "column {}"},
    "de": {"turn": "{} ist am Zug", "won": "{} gewinnt", "level": "unentschieden", "drop": "Spalte {}"},
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


def render_svg(state: ConnectFourState, seat: int | None, language: str) -> str:
    """Return the board as a picture; every colour has a letter too."""
    del seat
    width, height = COLUMNS * _SIZE, (ROWS + 1) * _SIZE
    places = [
        group((column + 0.5) * _SIZE, (ROWS - row - 0.5) * _SIZE, _disc(state.squares[square(column, row)]))
        for column in range(COLUMNS)
        for row in range(ROWS)
    ]
    board = f'<rect width="{width}" height="{ROWS * _SIZE}" rx="8" fill="#e9e2c9"/>'
    said = text(width / 2, height - 22, status(state, language))
    return document(width, height, status(state, language), _STYLE, [board, *places, said])


def _disc(seat: int) -> str:
    if seat < 0:
        return '<circle r="24" fill="#fff" stroke="#999"/>'
    return f'<circle r="24" fill="{_FILLS[seat]}" stroke="#222"/>{text(0, 6, SIGNS[seat], "w")}'


def _words(language: str) -> Mapping[str, str]:
    return _WORDS.get(language, _WORDS["en"])


SHOWN: Final = Shown(text=render_text, svg=render_svg, labels=labels, languages=tuple(_WORDS))
