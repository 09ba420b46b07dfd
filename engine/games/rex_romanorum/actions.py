"""The 1038 actions: numbering and notation (section 9.3 of the rules). It never changes for a released version."""

from __future__ import annotations

from typing import Final

from engine.core import ActionTable
from engine.games.rex_romanorum.board import DIOCESES, REGION_COUNT, REGIONS

# The seven things a player can do in a turn.
ACT_ACQUIRE: Final = 0
ACT_HARVEST: Final = 1
ACT_BUILD: Final = 2
ACT_MUSTER: Final = 3
ACT_ATTACK: Final = 4
ACT_BISHOP: Final = 5
ACT_KING: Final = 8

# First ids of the groups that carry parameters. A kind of figure comes before its region, a diocese before its region.
KEEP: Final = 9
PLACE: Final = 17
PLACE_DONE: Final = 203
COUNT: Final = 203  # COUNT:n is COUNT + n, n from 1
MOVE_FROM: Final = 304
MOVE_TO: Final = 490
MOVE_DONE: Final = 552
CHURCH: Final = 553
CASTLE: Final = 739
BUILD_DONE: Final = 801
FIGHT: Final = 802
FIGHT_ON: Final = 864
RETREAT: Final = 865
RAZE: Final = 927
KEEP_CASTLE: Final = 928
STAND: Final = 929
DECLINE: Final = 930
VOTE: Final = 931
ABSTAIN: Final = 936
OFFER: Final = 937
ACTION_COUNT: Final = 1038

HIGHEST_COUNT: Final = 100
"""`COUNT` and `OFFER` end here (K9)."""

KINDS: Final = "FAK"
"""The letters of foot, archer and knight, in the order of their numbers 0, 1, 2."""
FOOT: Final = 0
ARCHER: Final = 1
KNIGHT: Final = 2
FIGURE_COUNT: Final = 3 * REGION_COUNT
"""A kind and a region as one number: kind * 62 + region."""


def _per_figure(verb: str) -> list[str]:
    return [f"{verb}:{kind}:{region}" for kind in KINDS for region in REGIONS]


def _per_region(verb: str) -> list[str]:
    return [f"{verb}:{region}" for region in REGIONS]


ACTIONS: Final = ActionTable(
    [
        *("ACT_ACQUIRE", "ACT_HARVEST", "ACT_BUILD", "ACT_MUSTER", "ACT_ATTACK"),
        *(f"ACT_BISHOP:{diocese}" for diocese in DIOCESES),
        "ACT_KING",
        *(f"KEEP:{subset}" for subset in range(8)),
        *_per_figure("PLACE"),
        "PLACE_DONE",
        *(f"COUNT:{number}" for number in range(1, HIGHEST_COUNT + 1)),
        *_per_figure("MOVE_FROM"),
        *_per_region("MOVE_TO"),
        "MOVE_DONE",
        *(f"CHURCH:{diocese}:{region}" for diocese in DIOCESES for region in REGIONS),
        *_per_region("CASTLE"),
        "BUILD_DONE",
        *_per_region("FIGHT"),
        "FIGHT_ON",
        *_per_region("RETREAT"),
        *("RAZE", "KEEP_CASTLE", "STAND", "DECLINE"),
        *(f"VOTE:{seat}" for seat in range(5)),
        "ABSTAIN",
        *(f"OFFER:{gold}" for gold in range(HIGHEST_COUNT + 1)),
    ]
)
