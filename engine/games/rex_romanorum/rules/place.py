"""PLACE: the figures bought in action 4 (B4, B6, B7, B9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import FIGURE_COUNT, HIGHEST_COUNT, KNIGHT, PLACE, PLACE_DONE
from engine.games.rex_romanorum.board import ABOVE, BIT, REGION_COUNT, mask_table, numbers_of
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.state import COUNT, NOTHING, RexState
from engine.games.rex_romanorum.state import PLACE as PLACE_PHASE

_PLACE: Final = tuple(mask_table(PLACE + kind * REGION_COUNT) for kind in range(3))
"""Kind -> the ids of regions."""


def sites(state: RexState, kind: int) -> int:
    """Return the own regions for foot and archers, the own castles for knights (B6)."""
    land = state.land[state.active]
    return land & state.castles if kind == KNIGHT else land


def enter(state: RexState) -> None:
    """Ask for the next placement, or end the turn when there can be none (K3)."""
    placements = legal_place(state)
    if len(placements) == 1:
        flow.end_turn(state)
    else:
        state.phase = PLACE_PHASE
        state.legal = placements


def legal_place(state: RexState) -> Sequence[int]:
    """Return PLACE beyond the last one of what can be paid, and PLACE_DONE."""
    found: list[int] = []
    gold = state.gold[state.active]
    for kind in range(3):
        first = kind * REGION_COUNT
        if gold >= state.options.cost[kind] and first + REGION_COUNT > state.last:
            free = sites(state, kind)
            if state.last >= first:
                free &= ABOVE[state.last - first]
            found.extend(numbers_of(_PLACE[kind], free))
    found.append(PLACE_DONE)
    return found


def is_legal_place(state: RexState, action: int) -> bool:
    """Tell whether the action places figures, or stops."""
    figures = action - PLACE
    if not 0 <= figures < FIGURE_COUNT or figures <= state.last:
        return action == PLACE_DONE
    kind, region = figures // REGION_COUNT, figures % REGION_COUNT
    return sites(state, kind) & BIT[region] != 0 and state.gold[state.active] >= state.options.cost[kind]


def apply_place(state: RexState, action: int) -> None:
    """Ask how many figures are placed there."""
    state.source = NOTHING
    state.target = action - PLACE
    state.phase = COUNT


def most_placed(state: RexState) -> int:
    """Return the most figures of the chosen kind that can be paid; regions hold any number (B9)."""
    kind = state.target // REGION_COUNT
    return min(HIGHEST_COUNT, state.gold[state.active] // state.options.cost[kind])
