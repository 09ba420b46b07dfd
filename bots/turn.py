"""Decides a whole turn, for one answer: no message goes to and fro between its decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core import State

MOST_ACTIONS = 64
"""The most ids that an answer may have."""


def decide_turn(state: State, choose: Callable[[State], int]) -> list[int]:
    """Return the decisions of the seat that decides in `state`, until chance, another seat or the end comes first.

    `choose` is asked for each of them, with the position in which it is to be made; forced ones are played without it.
    `state` is played on. Raises ValueError after the end of the game, IllegalActionError for a choice that is illegal.
    """
    seat = state.seat()
    if seat is None:
        raise ValueError("the game is over; there is nothing to decide")
    chosen: list[int] = []
    while state.seat() == seat and len(chosen) < MOST_ACTIONS:
        legal = state.legal_actions()
        if len(legal) > 1:
            chosen.append(choose(state))
        state.apply(chosen[-1] if len(legal) > 1 else legal[0])
        if state.revealed():
            break
    return chosen
