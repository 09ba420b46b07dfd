"""Receive coins, and Change order's claim (R9, R12, A25, A34)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.rules.flow import claim_order, finish_action
from engine.games.foreign_king.rules.money import receive
from engine.games.foreign_king.rules.turn import choose
from engine.games.foreign_king.scoring import majority
from engine.games.foreign_king.state import ForeignKingState

COINS: Final = 3


def textiles_controlled(state: ForeignKingState, colour: int) -> int:
    """Count the textile factories, active or not, in provinces where the colour has the majority (R9)."""
    total = 0
    mine = state.occupied[colour]
    for province in range(PROVINCE_COUNT):
        packed = state.factories[province]
        if packed and mine >> province & 1:
            textiles = (packed >> 3 & 7) + (packed >> 9)
            if textiles and majority(state, province) == colour:
                total += textiles
    return total


def apply_coins(state: ForeignKingState, action: int) -> None:
    """Pay the active seat its coins (R9)."""
    choose(state, action)
    receive(state, state.active, COINS + textiles_controlled(state, state.active))
    finish_action(state)


def apply_change(state: ForeignKingState, action: int) -> None:
    """Claim to change the order; through the Queen the pawn stays on hers (A25)."""
    choose(state, action)
    claim_order(state)
