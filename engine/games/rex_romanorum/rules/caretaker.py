"""What a forfeited seat plays: the rule of section 9.4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import (
    ABSTAIN,
    ACT_HARVEST,
    BUILD_DONE,
    DECLINE,
    KEEP_CASTLE,
    MOVE_DONE,
    PLACE_DONE,
)
from engine.games.rex_romanorum.position import BUILD, GARRISON, KING_VOTE, MOVE_FROM, PLACE, RAZE, STAND, TURN

# KEEP:0 and OFFER:0 are the first legal actions of their phases anyway.
_PREFERRED: Final = {
    TURN: ACT_HARVEST,
    GARRISON: PLACE_DONE,
    BUILD: BUILD_DONE,
    MOVE_FROM: MOVE_DONE,
    PLACE: PLACE_DONE,
    RAZE: KEEP_CASTLE,
    STAND: DECLINE,
    KING_VOTE: ABSTAIN,
}


def caretaker_action(phase: int, legal: Sequence[int]) -> int:
    """The action that ends the phase soonest, else the first legal one."""
    preferred = _PREFERRED.get(phase, legal[0])
    return preferred if preferred in legal else legal[0]
