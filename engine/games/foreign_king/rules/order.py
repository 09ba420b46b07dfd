"""The order of turns is changed at the end of a round (R12, A26-A28, K8)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.rules.flow import start_round
from engine.games.foreign_king.state import Position

_LEGAL: Final = tuple(tuple(range(ids.ORDER_POS, ids.ORDER_POS + seats)) for seats in range(5))


def order_legal(s: Position) -> tuple[int, ...]:
    """Any place of the track, his own too (A28)."""
    return _LEGAL[s.seats]


def order_is_legal(s: Position, action: int) -> bool:
    """Whether an ORDER entry is legal."""
    return ids.ORDER_POS <= action < ids.ORDER_POS + s.seats


def apply_order(s: Position, action: int) -> None:
    """ORDER_POS: out of the track and in again at that place, the others shift (K8)."""
    claimant = s.claims[0]
    track = [seat for seat in s.order if seat != claimant]
    track.insert(action - ids.ORDER_POS, claimant)
    s.order = tuple(track)
    s.claims = s.claims[1:]
    if s.claims:
        s.active = s.to_act = s.claims[0]
    else:
        start_round(s)
