"""Finds out whether OpenSpiel draws what a seat cannot see so that nothing of it is told to the seat."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from engine.core import PositionError
from engine.openspiel.history import play_again
from engine.openspiel.library import load
from engine.openspiel.samples import random_states
from engine.openspiel.visible import ObservedStep, information_of, knows

_PLAYINGS: Final = 40
_DRAWS: Final = 24
"""So many that what is drawn from a few possibilities is not the same each time by luck."""
_SOURCES: Final = 3


def can_guess(game: Any) -> bool:
    """Return whether OpenSpiel draws states that look the same to each seat, in all positions of random playings.

    What is drawn with the same numbers must be the same wherever it is drawn from, and each step of the history that
    the seat does not know must come out differently now and then: so no part of it is merely copied.
    """
    try:
        return all(_hides_all(game, seed, seat) for seed in range(_PLAYINGS) for seat in range(game.num_players()))
    except (load().SpielError, PositionError):
        return False


def _hides_all(game: Any, seed: int, seat: int) -> bool:
    """Return whether all that a seat does not know of a random playing is drawn anew. Raises SpielError."""
    unknown: set[int] = set()
    varied: set[int] = set()
    before: Any = None
    for state in random_states(game, seed):
        history = state.history()
        if before is not None and not _is_known(game, before, history[-1], seat):
            unknown.add(len(history) - 1)
        before = state.clone()
        if not state.is_player_node():
            continue
        drawn = _draw_alike(game, state, seat)
        if not drawn:
            return False
        varied |= {place for each in drawn for place in range(len(history)) if each[place] != history[place]}
    seen_later = {place for place in unknown if place < len(before.history()) - 1}
    return bool(unknown) and seen_later <= varied


def _is_known(game: Any, before: Any, action: int, seat: int) -> bool:
    step = ObservedStep(before, action)
    return step.seat == seat or len(before.legal_actions()) == 1 or knows(game, step, seat)


def _draw_alike(game: Any, state: Any, seat: int) -> list[list[int]]:
    """Return the histories of states drawn from one; none if one of them looks otherwise or follows from the hidden.

    Raises PositionError if one of them could not be played.
    """
    drawn = [state.resample_from_infostate(seat, Random(seed).random) for seed in range(_DRAWS)]
    again = [each.resample_from_infostate(seat, Random(_DRAWS).random) for each in (state, *drawn[:_SOURCES])]
    for each in (*drawn, *again):
        mine = state.current_player() == seat
        if (
            information_of(game, each, seat) != information_of(game, state, seat)
            or each.current_player() != state.current_player()
        ):
            return []
        if mine and each.legal_actions() != state.legal_actions():
            return []
        play_again(game.new_initial_state(), each.history())
    histories = [list(each.history()) for each in again]
    if any(history != histories[0] or len(history) != len(state.history()) for history in histories):
        return []
    return [list(each.history()) for each in drawn]
