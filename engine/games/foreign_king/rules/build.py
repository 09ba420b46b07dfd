"""Build a factory (R5, C20, C22, A32-A34)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.rules.flow import finish_action
from engine.games.foreign_king.rules.turn import BUILD_PRICE
from engine.games.foreign_king.state import ForeignKingState


def _entries(kinds: int) -> tuple[int, ...]:
    every = range(ids.BUILD, ids.BUILD + 2 * PROVINCE_COUNT)
    return tuple(action for action in every if kinds >> ((action - ids.BUILD) % 2) & 1)


_LEGAL: Final = tuple(_entries((supply & 7 > 0) + 2 * (supply > 7)) for supply in range(64))
"""Packed supply -> ids."""


def legal_build(state: ForeignKingState) -> tuple[int, ...]:
    """Return every province with every type that is left (C20)."""
    return _LEGAL[state.supply]


def is_legal_build(state: ForeignKingState, action: int) -> bool:
    """Tell whether a BUILD entry is legal."""
    if not ids.BUILD <= action < ids.PLACE:
        return False
    return state.supply > 7 if (action - ids.BUILD) & 1 else state.supply & 7 > 0


def apply_build(state: ForeignKingState, action: int) -> None:
    """Pay, put the factory there active, and take a medal if it is the province's first (R5)."""
    me = state.active
    province = (action - ids.BUILD) >> 1
    state.francs[me] -= BUILD_PRICE
    if state.factories[province] == 0:
        state.medals[me] += 1
    one = 8 if (action - ids.BUILD) & 1 else 1
    state.supply -= one
    state.factories[province] += one
    finish_action(state)
