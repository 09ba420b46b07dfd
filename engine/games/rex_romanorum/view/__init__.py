"""What people see of the game: `SHOWN`. The files of this folder hold the text, the sentences and the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.abilities import Shown
from engine.games.rex_romanorum.board import REGION_INDEX
from engine.games.rex_romanorum.state import RexState
from engine.games.rex_romanorum.view.picture import draw
from engine.games.rex_romanorum.view.pieces import INKS
from engine.games.rex_romanorum.view.sentences import describe, scoring_steps, voice
from engine.games.rex_romanorum.view.text import LANGUAGES, labels, render_text


def path(notation: str) -> Sequence[str]:
    """Return the choices that make up an action, the region first: it is what is clicked."""
    verb, *parameters = notation.split(":")
    if parameters and parameters[-1] in REGION_INDEX and verb != "ACT_BISHOP":  # that names a diocese
        return (parameters[-1], verb, *parameters[:-1])
    return (verb, *parameters)


def seat_name(seat: int, language: str) -> str:
    """Return the house that a seat plays."""
    return voice(language).house(seat)


def choice(state: RexState, notation: str, language: str) -> str:
    """Return what an action means here: cards and houses by their names."""
    verb, _, parameter = notation.partition(":")
    spoken = voice(language)
    if verb == "VOTE":
        return spoken.phrase("choose_vote", whom=spoken.house(int(parameter)))
    if verb == "KEEP" and parameter != "0":
        kept = [region for place, region in enumerate(state.drawn) if int(parameter) >> place & 1]
        gold = spoken.gold(state.options.region_price * len(kept))
        return spoken.phrase("choose_keep", regions=spoken.regions(kept), gold=gold)
    return spoken.names[notation]


SHOWN: Final = Shown(
    text=render_text,
    picture=draw,
    labels=labels,
    languages=LANGUAGES,
    seat_name=seat_name,
    seat_colours=INKS,
    choice=choice,
    describe=describe,
    scoring=scoring_steps,
    path=path,
)
