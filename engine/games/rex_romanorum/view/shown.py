"""What the game offers to those who look at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.abilities import Shown
from engine.games.rex_romanorum.board import REGION_INDEX
from engine.games.rex_romanorum.view.labels import LANGUAGES, labels
from engine.games.rex_romanorum.view.picture import draw
from engine.games.rex_romanorum.view.steps import scoring_steps
from engine.games.rex_romanorum.view.tell import tell
from engine.games.rex_romanorum.view.text import render_text
from engine.games.rex_romanorum.view.voice import voice


def path(notation: str) -> Sequence[str]:
    """Return the choices that make up an action, the region first: it is what is clicked."""
    verb, *parameters = notation.split(":")
    if parameters and parameters[-1] in REGION_INDEX and verb != "ACT_BISHOP":  # that names a diocese
        return (parameters[-1], verb, *parameters[:-1])
    return (verb, *parameters)


def seat_name(seat: int, language: str) -> str:
    """Return the house that a seat plays."""
    return voice(language).house(seat)


SHOWN: Final = Shown(
    text=render_text,
    picture=draw,
    labels=labels,
    languages=LANGUAGES,
    seat_name=seat_name,
    tell=tell,
    scoring=scoring_steps,
    path=path,
)
