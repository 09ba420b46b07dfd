"""COUNT: how many figures are moved or placed (K9, K12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import ACT_ACQUIRE, COUNT, HIGHEST_COUNT
from engine.games.rex_romanorum.board import BIT, REGION_COUNT
from engine.games.rex_romanorum.rules import acquire, move, place
from engine.games.rex_romanorum.rules.land import add_figures, remove_figures
from engine.games.rex_romanorum.state import NOTHING, RexState
from engine.kit.reading import need

_COUNTS: Final = tuple(tuple(range(COUNT + 1, COUNT + 1 + most)) for most in range(HIGHEST_COUNT + 1))
"""By the greatest number that may be named."""


def most(state: RexState) -> int:
    """Return the greatest number that may be named."""
    if state.source != NOTHING:
        return min(HIGHEST_COUNT, state.army[state.source])
    if state.task == ACT_ACQUIRE:
        return acquire.most_garrisoned(state)
    return place.most_placed(state)


def legal_count(state: RexState) -> Sequence[int]:
    """Return COUNT from 1 to the greatest number."""
    return _COUNTS[most(state)]


def is_legal_count(state: RexState, action: int) -> bool:
    """Tell whether so many may be named."""
    return COUNT < action <= COUNT + most(state)


def apply_count(state: RexState, action: int) -> None:
    """Move or place that many, then ask for the next."""
    number = action - COUNT
    if state.source != NOTHING:
        move_figures(state, number)
    else:
        place_figures(state, number)


def move_figures(state: RexState, number: int) -> None:
    """Move the figures, which stay where they arrive for the rest of the action."""
    kind = state.source // REGION_COUNT
    there = kind * REGION_COUNT + state.target
    remove_figures(state, state.source, number)
    state.arrived[there] = state.arrived.get(there, 0) + number
    state.last, state.last_to = state.source, state.target
    state.source = state.target = NOTHING
    move.enter_sources(state)


def place_figures(state: RexState, number: int) -> None:
    """Place the figures and pay for them."""
    figures = state.target
    state.gold[state.active] -= number * state.options.cost[figures // REGION_COUNT]
    add_figures(state, figures, number)
    state.last = figures
    state.target = NOTHING
    if state.task == ACT_ACQUIRE:
        acquire.enter_garrison(state)
    else:
        place.enter(state)


def check_count(state: RexState) -> None:
    """Raise PositionError unless figures can be moved to the target, or placed there."""
    if state.task == ACT_ACQUIRE:
        acquire.check_garrison(state)
        need(state.source == NOTHING, "pending.source: figures are placed, not moved")
    elif state.source != NOTHING:
        move.check_source(state)
    need(state.target != NOTHING, "pending.target: expected where the figures go")
    if state.source != NOTHING:
        reachable = move.targets(state, state.source) & BIT[state.target]
        need(reachable, "pending.target: the figures cannot go there")
    else:
        own = state.land[state.active] & BIT[state.target % REGION_COUNT]
        need(own and state.target > state.last, "pending.target: figures cannot be placed there")
    need(most(state) > 0, "pending.target: no figure can go there")
