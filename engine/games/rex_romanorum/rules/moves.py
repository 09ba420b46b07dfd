"""Figures that are moved or placed: MOVE_FROM, MOVE_TO, PLACE and COUNT (actions 4 and 5; B4-B9, C1-C7, K9, K12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import (
    ACT_ACQUIRE,
    ACT_ATTACK,
    ACT_MUSTER,
    COUNT,
    FIGURE_COUNT,
    HIGHEST_COUNT,
    KNIGHT,
    MOVE_DONE,
    MOVE_FROM,
    MOVE_TO,
    PLACE,
    PLACE_DONE,
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
from engine.games.rex_romanorum.rules import battle, flow, land
from engine.games.rex_romanorum.rules.land import add_figures, remove_figures
from engine.games.rex_romanorum.state import COUNT as COUNT_PHASE
from engine.games.rex_romanorum.state import MOVE_FROM as MOVE_FROM_PHASE
from engine.games.rex_romanorum.state import MOVE_TO as MOVE_TO_PHASE
from engine.games.rex_romanorum.state import NOTHING, RexState, manned
from engine.games.rex_romanorum.state import PLACE as PLACE_PHASE
from engine.kit.field_codecs import need

_MOVE_TO: Final = mask_table(MOVE_TO)
"""The ids of regions."""
_PLACE: Final = tuple(mask_table(PLACE + kind * REGION_COUNT) for kind in range(3))
"""Kind -> the ids of regions."""
_COUNTS: Final = tuple(tuple(range(COUNT + 1, COUNT + 1 + highest)) for highest in range(HIGHEST_COUNT + 1))
"""By the greatest number that may be named."""


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
    state.phase = COUNT_PHASE


def apply_move_done(state: RexState, _action: int) -> None:
    """Go on to what follows the moves."""
    finish_moves(state)


def finish_moves(state: RexState) -> None:
    """Place new figures now that all moves are made, or settle the attack."""
    state.source = state.target = state.last = state.last_to = NOTHING
    battle.settle_arrivals(state)
    if state.task == ACT_MUSTER:
        enter_placing(state)
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


def placing_sites(state: RexState, kind: int) -> int:
    """Return the own regions for foot and archers, the own castles for knights (B6)."""
    land = state.land[state.active]
    return land & state.castles if kind == KNIGHT else land


def enter_placing(state: RexState) -> None:
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
            free = placing_sites(state, kind)
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
    return placing_sites(state, kind) & BIT[region] != 0 and state.gold[state.active] >= state.options.cost[kind]


def apply_place(state: RexState, action: int) -> None:
    """Ask how many figures are placed there."""
    state.source = NOTHING
    state.target = action - PLACE
    state.phase = COUNT_PHASE


def most_placed(state: RexState) -> int:
    """Return the most figures of the chosen kind that can be paid; regions hold any number (B9)."""
    kind = state.target // REGION_COUNT
    return min(HIGHEST_COUNT, state.gold[state.active] // state.options.cost[kind])


def most_figures(state: RexState) -> int:
    """Return the greatest number that may be named."""
    if state.source != NOTHING:
        return min(HIGHEST_COUNT, state.army[state.source])
    if state.task == ACT_ACQUIRE:
        return land.most_garrisoned(state)
    return most_placed(state)


def legal_count(state: RexState) -> Sequence[int]:
    """Return COUNT from 1 to the greatest number."""
    return _COUNTS[most_figures(state)]


def is_legal_count(state: RexState, action: int) -> bool:
    """Tell whether so many may be named."""
    return COUNT < action <= COUNT + most_figures(state)


def apply_count(state: RexState, action: int) -> None:
    """Move or place that many, then ask for the next."""
    number = action - COUNT
    if state.source != NOTHING:
        kind = state.source // REGION_COUNT
        there = kind * REGION_COUNT + state.target
        remove_figures(state, state.source, number)
        state.arrived[there] = state.arrived.get(there, 0) + number
        state.last, state.last_to = state.source, state.target
        state.source = state.target = NOTHING
        enter_sources(state)
    else:
        figures = state.target
        state.gold[state.active] -= number * state.options.cost[figures // REGION_COUNT]
        add_figures(state, figures, number)
        state.last = figures
        state.target = NOTHING
        if state.task == ACT_ACQUIRE:
            land.enter_garrison(state)
        else:
            enter_placing(state)


def check_count(state: RexState) -> None:
    """Raise PositionError unless figures can be moved to the target, or placed there."""
    if state.task == ACT_ACQUIRE:
        land.check_garrison(state)
        need(state.source == NOTHING, "pending.source: figures are placed, not moved")
    elif state.source != NOTHING:
        check_source(state)
    need(state.target != NOTHING, "pending.target: expected where the figures go")
    if state.source != NOTHING:
        reachable = targets(state, state.source) & BIT[state.target]
        need(reachable, "pending.target: the figures cannot go there")
    else:
        own = state.land[state.active] & BIT[state.target % REGION_COUNT]
        need(own and state.target > state.last, "pending.target: figures cannot be placed there")
    need(most_figures(state) > 0, "pending.target: no figure can go there")
