"""The order of turns is changed at the end of a round (R12, A26-A28, K8)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.rules.flow import start_round
from engine.games.foreign_king.state import ForeignKingState

_LEGAL: Final = tuple(tuple(range(ids.ORDER_POS, ids.ORDER_POS + seats)) for seats in range(5))


def legal_order(state: ForeignKingState) -> tuple[int, ...]:
    """Return every place of the track, the claimant's own too (A28)."""
    return _LEGAL[state.seats]


def is_legal_order(state: ForeignKingState, action: int) -> bool:
    """Tell whether an ORDER entry is legal."""
    return ids.ORDER_POS <= action < ids.ORDER_POS + state.seats


def apply_order(state: ForeignKingState, action: int) -> None:
    """Take the claimant out of the track and put it in again at that place; the others shift (K8)."""
    claimant = state.claims[0]
    track = [seat for seat in state.order if seat != claimant]
    track.insert(action - ids.ORDER_POS, claimant)
    state.order = tuple(track)
    state.claims = state.claims[1:]
    if state.claims:
        state.active = state.decider = state.claims[0]
    else:
        start_round(state)
