"""How people see a position of a game of OpenSpiel: OpenSpiel's own words for it and for its actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from engine.abilities import Move, Shown
from engine.openspiel.hidden import SeenState, look
from engine.openspiel.picture import draw
from engine.openspiel.state import DRAW, OpenSpielState
from engine.openspiel.wording import without_colour, words_of

if TYPE_CHECKING:
    from engine.openspiel.game import OpenSpielGame

_UNTOLD: Final = "acts; only some seats know how"


@cache
def shown_of(game: OpenSpielGame) -> Shown:
    """Return how the game is shown."""
    return Shown(
        text=render_text,
        picture=draw,
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


def choice(state: OpenSpielState | SeenState, notation: str, language: str) -> str:
    """Return OpenSpiel's words for a legal action, or its notation where they might tell what is hidden."""
    del language
    action = state.game.actions.parse(notation)
    if not isinstance(state, SeenState):
        return words_of(state.inner, action)
    return dict(zip(state.legal, state.words, strict=False)).get(action, notation)


def tell(move: Move, language: str) -> Sequence[str]:
    """Return the words for the action, as far as the seat that looks knows it, and for what all know was drawn."""
    before, after = move.before, move.after
    if isinstance(before, SeenState) and isinstance(after, SeenState):
        is_own = move.seat == before.observer
        return (choice(before, move.notation, language) if is_own or after.knows_last else _UNTOLD,)
    return (words_of(before.inner, move.action), *_draws(move))


def _draws(move: Move) -> Iterator[str]:
    """Yield what chance drew after a move, as far as all seats know it."""
    after, inner = move.after, move.before.inner.child(move.action)
    told = [reveal.values[0] for reveal in after.revealed()]
    for step in after.draws:
        if told and told[0] == step.action:
            yield f"chance: {words_of(inner, told.pop(0))}"
        inner = inner.child(step.action)
