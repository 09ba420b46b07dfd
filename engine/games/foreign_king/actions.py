"""The 137 actions: numbering and notation (section 7 of the rules, K7). It never changes for a released version."""

from __future__ import annotations

from typing import Final

from engine.core import ActionTable
from engine.games.foreign_king.board import PROVINCES

# Spaces of the action table; a pawn's place is one of these.
ACT_BUILD: Final = 0
ACT_PLACE: Final = 1
ACT_MOVE: Final = 2
ACT_CONGRESS: Final = 3
ACT_COINS: Final = 4
ACT_KING: Final = 5
ACT_QUEEN: Final = 6
ACT_CHANGE: Final = 7

LOAN: Final = 8
REPAY: Final = 9
END_TURN: Final = 10
PASS: Final = 11

# First ids of the groups that carry a parameter. BUILD is province-major, M before T.
BUILD: Final = 12
PLACE: Final = 30
PLACE_N: Final = 39
MOVE_FROM: Final = 54
MOVE_TO: Final = 63
MOVE_OFF: Final = 72
MOVE_STOP: Final = 73
CONGRESS_FROM: Final = 74
CONGRESS_FROM_HAND: Final = 83
KING_TO: Final = 84
KING_LEN: Final = 93
CONGRESS_GO: Final = 101
CONGRESS_STAY: Final = 102
INACT_NONE: Final = 103
INACT_METAL: Final = 104
INACT_TEXTILE: Final = 105
ORDER_POS: Final = 106
VIRT_PLACE: Final = 110
VIRT_FROM: Final = 119
VIRT_TO: Final = 128
ACTION_COUNT: Final = 137

SPACES: Final = ("BUILD", "PLACE", "MOVE", "CONGRESS", "COINS", "KING", "QUEEN", "CHANGE")
SPACE_COUNT: Final = 8


def _per_province(verb: str) -> list[str]:
    return [f"{verb}:{province}" for province in PROVINCES]


def _numbered(verb: str, last: int) -> list[str]:
    return [f"{verb}:{number}" for number in range(1, last + 1)]


ACTIONS: Final = ActionTable(
    [
        *(f"ACT_{space}" for space in SPACES),
        *("LOAN", "REPAY", "END_TURN", "PASS"),
        *(f"BUILD:{province}:{kind}" for province in PROVINCES for kind in "MT"),
        *_per_province("PLACE"),
        *_numbered("PLACE_N", 15),
        *_per_province("MOVE_FROM"),
        *_per_province("MOVE_TO"),
        *("MOVE_OFF", "MOVE_STOP"),
        *_per_province("CONGRESS_FROM"),
        "CONGRESS_FROM_HAND",
        *_per_province("KING_TO"),
        *_numbered("KING_LEN", 8),
        *("CONGRESS_GO", "CONGRESS_STAY"),
        *("INACT_NONE", "INACT_METAL", "INACT_TEXTILE"),
        *_numbered("ORDER_POS", 4),
        *_per_province("VIRT_PLACE"),
        *_per_province("VIRT_FROM"),
        *_per_province("VIRT_TO"),
    ]
)
