"""What people see of the game: `SHOWN`. The files of this folder hold the text, the sentences and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.abilities import Shown
from engine.games.foreign_king.board import PROVINCES
from engine.games.foreign_king.view.picture import draw
from engine.games.foreign_king.view.pieces import FILLS
from engine.games.foreign_king.view.sentences import describe, scoring_steps
from engine.games.foreign_king.view.text import LANGUAGES, SEAT_LETTERS, labels, render_text


def path(notation: str) -> Sequence[str]:
    """Return the choices that make up an action, the province first: it is what is clicked."""
    verb, *parameters = notation.split(":")
    if parameters and parameters[0] in PROVINCES:
        return (parameters[0], verb, *parameters[1:])
    return (verb, *parameters)


def seat_name(seat: int, language: str) -> str:
    """Return the letter of a seat's tokens."""
    del language
    return SEAT_LETTERS[seat]


SHOWN: Final = Shown(
    text=render_text,
    picture=draw,
    labels=labels,
    languages=LANGUAGES,
    seat_name=seat_name,
    seat_colours=FILLS[:4],
    describe=describe,
    scoring=scoring_steps,
    path=path,
)
