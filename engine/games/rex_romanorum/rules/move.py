"""MOVE_FROM and MOVE_TO: figures move within one's own land (action 4) or to attack (action 5; B5, C1-C7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import (
    ACT_ATTACK,
    ACT_MUSTER,
    FIGURE_COUNT,
    MOVE_DONE,
    MOVE_FROM,
    MOVE_TO,
)
from engine.games.rex_romanorum.board import (
    ABOVE,
    BIT,
    NEIGHBOURS,
    REGION_COUNT,
    first_of,
    mask_of,
    mask_table,
    numbers_of,
    regions_of,
)
from engine.games.rex_romanorum.rules import battle, place
from engine.games.rex_romanorum.state import COUNT, NOTHING, RexState, manned
from engine.games.rex_romanorum.state import MOVE_FROM as MOVE_FROM_PHASE
from engine.games.rex_romanorum.state import MOVE_TO as MOVE_TO_PHASE
from engine.kit.reading import need

_MOVE_TO: Final = mask_table(MOVE_TO)
"""The ids of regions."""


def may_end(state: RexState) -> int:
    """Return the regions where figures may end: own ones, in an attack also enemy ones, never unowned ones (B5, C1)."""
    return state.owned if state.task == ACT_ATTACK else state.land[state.active]


def may_pass(state: RexState) -> int:
    """Return the regions through which a knight may ride on.

    In action 4 own ones (B5); in an attack every region where no foreign figure stands: an empty castle, unowned land
    and own figures do not block (C3, C4).
    """
    land = state.land[state.active]
    return ~(manned(state) & ~land) if state.task == ACT_ATTACK else land


def reach(steps: int, region: int, ending: int, passing: int) -> int:
    """Return where figures from `region` can end, by any path, but never where they came from (K4)."""
    near = NEIGHBOURS[region]
    far = near
    if steps == 2:
        for through in regions_of(near & passing):
            far |= NEIGHBOURS[through]
    return far & ending & ~BIT[region]


def can_attack(state: RexState) -> bool:
    """Tell whether a figure of the active seat has a legal destination in an attack."""
    land, ending = state.land[state.active], state.owned
    for kind in range(3):
        left = state.standing[kind] & land
        while left:  # one step is the quick look, and mostly the first figures can make it
            if NEIGHBOURS[first_of(left)] & ending:
                return True
            left &= left - 1
    passing = ~(manned(state) & ~land)
    for kind in range(3):
        for region in regions_of(state.standing[kind] & land):
            if reach(state.options.move[kind], region, ending, passing):
                return True
    return False


def enter_sources(state: RexState) -> None:
    """Ask for the next move; in action 4 go on to placing when nothing can move (K3)."""
    sources = legal_move_from(state)
    if state.task == ACT_MUSTER and len(sources) == 1:
        finish_moves(state)
    else:
        state.phase = MOVE_FROM_PHASE
        state.legal = sources


def legal_move_from(state: RexState) -> Sequence[int]:
    """Return MOVE_FROM, not before the last source, and MOVE_DONE, in an attack only after a move."""
    found: list[int] = []
    land, ending = state.land[state.active], may_end(state)
    for kind in range(3):
        first = kind * REGION_COUNT
        sources = state.standing[kind] & land
        if not sources or first + REGION_COUNT <= state.last:
            continue
        steps = state.options.move[kind]
        passing = may_pass(state) if steps == 2 else 0
        for region in regions_of(sources):
            figures = first + region
            if figures > state.last:
                # Any way will do, and one step is the quick look.
                if NEIGHBOURS[region] & ending or (steps == 2 and reach(steps, region, ending, passing)):
                    found.append(MOVE_FROM + figures)
            elif figures == state.last and reach(steps, region, ending, passing) & ABOVE[state.last_to]:
                found.append(MOVE_FROM + figures)
    if state.task == ACT_MUSTER or state.last != NOTHING:
        found.append(MOVE_DONE)
    return found


def is_legal_move_from(state: RexState, action: int) -> bool:
    """Tell whether the action picks figures that can move, or stops."""
    if action == MOVE_DONE:
        return state.task == ACT_MUSTER or state.last != NOTHING
    figures = action - MOVE_FROM
    if not 0 <= figures < FIGURE_COUNT or figures < state.last or not state.army[figures]:
        return False
    region = figures % REGION_COUNT
    return state.land[state.active] & BIT[region] != 0 and targets(state, figures) != 0


def targets(state: RexState, figures: int) -> int:
    """Return where the figures of one kind and region may go; from the last source only beyond its last target (K4)."""
    kind, region = figures // REGION_COUNT, figures % REGION_COUNT
    found = reach(state.options.move[kind], region, may_end(state), may_pass(state))
    return found & ABOVE[state.last_to] if figures == state.last else found


def apply_move_from(state: RexState, action: int) -> None:
    """Ask where the figures go."""
    state.source = action - MOVE_FROM
    state.phase = MOVE_TO_PHASE


def legal_move_to(state: RexState) -> Sequence[int]:
    """Return MOVE_TO for each region where the figures may go."""
    return numbers_of(_MOVE_TO, targets(state, state.source))


def is_legal_move_to(state: RexState, action: int) -> bool:
    """Tell whether the figures may go there."""
    region = action - MOVE_TO
    return 0 <= region < REGION_COUNT and targets(state, state.source) & BIT[region] != 0


def apply_move_to(state: RexState, action: int) -> None:
    """Ask how many figures go there."""
    state.target = action - MOVE_TO
    state.phase = COUNT


def apply_move_done(state: RexState, _action: int) -> None:
    """Go on to what follows the moves."""
    finish_moves(state)


def finish_moves(state: RexState) -> None:
    """Place new figures now that all moves are made, or settle the attack."""
    state.source = state.target = state.last = state.last_to = NOTHING
    battle.settle_arrivals(state)
    if state.task == ACT_MUSTER:
        place.enter(state)
    else:
        battle.begin(state)


def check_moves(state: RexState) -> None:
    """Raise PositionError unless the figures that have moved stand where they may end."""
    ending = may_end(state)
    arrived = mask_of([figures % REGION_COUNT for figures in state.arrived])
    need(not arrived & ~ending, "pending.arrived: figures stand where they may not end")
    need((state.last == NOTHING) == (state.last_to == NOTHING), "pending.last_to goes with pending.last")
    need((state.last == NOTHING) == (not state.arrived), "pending.arrived goes with pending.last")


def check_source(state: RexState) -> None:
    """Raise PositionError unless own figures stand at the source, and may still move."""
    check_moves(state)
    need(state.source != NOTHING and state.source >= state.last, "pending.source: expected a source to move")
    region = BIT[state.source % REGION_COUNT]
    own = state.army[state.source] and state.land[state.active] & region
    need(own, "pending.source: no own figures stand there")
