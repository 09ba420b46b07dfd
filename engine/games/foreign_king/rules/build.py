"""Build a factory (R5, C20, C22, A32-A34)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.rules.flow import finish_action
from engine.games.foreign_king.rules.turn import BUILD_PRICE, choose
from engine.games.foreign_king.state import BUILD, Position


def _entries(kinds: int) -> tuple[int, ...]:
    every = range(ids.BUILD, ids.BUILD + 2 * PROVINCE_COUNT)
    return tuple(action for action in every if kinds >> ((action - ids.BUILD) % 2) & 1)


_LEGAL: Final = tuple(_entries(kinds) for kinds in range(4))
"""Bit set of the types in supply (1 = M, 2 = T) -> ids."""


def apply_act_build(s: Position, action: int) -> None:
    """ACT_BUILD."""
    choose(s, action)
    s.phase = BUILD


def build_legal(s: Position) -> tuple[int, ...]:
    """Any province, a type that is left (C20)."""
    return _LEGAL[(s.supply_m > 0) + 2 * (s.supply_t > 0)]


def build_is_legal(s: Position, action: int) -> bool:
    """Whether a BUILD entry is legal."""
    if not ids.BUILD <= action < ids.PLACE:
        return False
    return (s.supply_t if (action - ids.BUILD) & 1 else s.supply_m) > 0


def apply_build(s: Position, action: int) -> None:
    """Pay, put the factory there active, take a medal if it is the province's first (R5)."""
    me = s.active
    province = (action - ids.BUILD) >> 1
    s.francs[me] -= BUILD_PRICE
    if s.factories[province] == 0:
        s.medals_up[me] += 1
    if (action - ids.BUILD) & 1:
        s.supply_t -= 1
        s.factories[province] += 8
    else:
        s.supply_m -= 1
        s.factories[province] += 1
    finish_action(s)
