"""How people see a position of a game of OpenSpiel: OpenSpiel's own words for it and for its actions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from engine.abilities import Move, Shown
from engine.openspiel.hidden import SeenState
from engine.openspiel.library import load
from engine.openspiel.state import DRAW, OpenSpielState
from engine.openspiel.visible import knows

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

_COLOUR: Final = re.compile("\x1b\\[[0-9;]*m")
_PLAIN: Final = str.maketrans("{}<>\n\t", "()()  ")
_UNTOLD: Final = "acts; only some seats know how"


@cache
def shown_of(game: OpenSpielGame) -> Shown:
    """Return how the game is shown."""
    return Shown(
        text=render_text,
        labels=partial(_labels, game),
        tell=tell,
        choice=choice,
    )


@cache
def _names(count: int) -> Mapping[str, str]:
    return {**{f"A{action}": f"A{action}" for action in range(count)}, DRAW: "chance"}


def _labels(game: OpenSpielGame, language: str) -> Mapping[str, str]:
    """Return the notations for names: OpenSpiel has words for an action only where it can be chosen."""
    del language
    return _names(len(game.actions))


def render_text(state: OpenSpielState | SeenState, seat: int | None, language: str) -> str:
    """Return OpenSpiel's words for the position, or for what the seat sees; a spectator sees all at the end."""
    del language
    if isinstance(state, SeenState):
        return _clean(state.text)
    if not state.game.has_hidden_information or state.inner.is_terminal():
        return _clean(str(state.inner))
    if seat is None:
        return f"seat {state.seat()} decides; {len(state.inner.history())} actions so far\n"
    from engine.openspiel.hidden import look

    return _clean(look(state, seat).text)


def _clean(text: str) -> str:
    return (_COLOUR.sub("", text).rstrip("\n") or "-") + "\n"


def words_of(inner: Any, action: int) -> str:
    """Return OpenSpiel's words for an action in a state, on one line; its number if there are none."""
    try:
        text = inner.action_to_string(inner.current_player(), action)
    except load().SpielError:
        text = ""
    text = "".join(sign for sign in _COLOUR.sub("", text).translate(_PLAIN) if sign.isprintable())
    return " ".join(text.split()) or f"A{action}"


def choice(state: OpenSpielState | SeenState, notation: str, language: str) -> str:
    """Return OpenSpiel's words for a legal action."""
    del language
    if isinstance(state, SeenState):
        return notation
    return words_of(state.inner, state.game.actions.parse(notation))


def tell(move: Move, language: str) -> Sequence[str]:
    """Return OpenSpiel's words for the action and for what chance drew, as far as every seat knows them."""
    del language
    before, after = move.before, move.after
    if isinstance(before, SeenState) or not isinstance(after, OpenSpielState):
        return (move.notation,)
    seats = range(after.game.facts.seats)
    is_told = after.inner.is_terminal() or not after.hides_action_from()
    said = [words_of(before.inner, move.action) if is_told else _UNTOLD]
    inner = before.inner.child(move.action)
    for draw in after.draws:
        hides = after.game.has_hidden_information
        if not hides or all(knows(after.game, draw, seat) for seat in seats):
            said.append(f"chance: {words_of(inner, draw.action)}")
        inner = inner.child(draw.action)
    return said
