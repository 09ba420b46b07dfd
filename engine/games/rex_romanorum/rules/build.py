"""BUILD: churches and castles in one's own regions (section 5.1, K14)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import ACTIONS, BUILD_DONE, CASTLE, CHURCH
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, REGION_COUNT, regions_of
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.state import RexState, all_churches
from engine.kit.reading import need


def can_build(state: RexState) -> bool:
    """Tell whether at least one building is payable and legal."""
    if castle_sites(state):
        return True
    return any(church_sites(state, diocese) for diocese in range(DIOCESE_COUNT))


def castle_sites(state: RexState) -> int:
    """Return the own regions where the next building may be a castle: at most one in a region."""
    most, _, most_castles = state.options.build
    if state.gold[state.active] < state.options.castle_price or len(state.built) >= most:
        return 0
    if built_within(state, CASTLE, BUILD_DONE) >= most_castles:
        return 0
    return state.land[state.active] & ~state.castles


def church_sites(state: RexState, diocese: int) -> int:
    """Return the own regions where the next building may be a church of the diocese: at most one in a region."""
    most, most_churches, _ = state.options.build
    if state.gold[state.active] < state.options.church_price or len(state.built) >= most:
        return 0
    if built_within(state, CHURCH, CASTLE) >= most_churches:
        return 0
    if not may_add_church(state, diocese):
        return 0
    return state.land[state.active] & ~all_churches(state)


def may_add_church(state: RexState, diocese: int) -> bool:
    """Tell whether the diocese has a church left, and this action may build (another) one of it.

    A second one only if he owned none of the diocese before the action; never a third (K14).
    """
    churches = state.churches[diocese]
    if churches.bit_count() >= state.options.churches_per_diocese:
        return False
    first = CHURCH + diocese * REGION_COUNT
    of_diocese = built_within(state, first, first + REGION_COUNT)
    if of_diocese == 0:
        return True
    return of_diocese == 1 and (churches & state.land[state.active]).bit_count() == 1


def built_within(state: RexState, first: int, end: int) -> int:
    """Count the buildings of this action whose ids are in `first` to `end - 1`."""
    number = 0
    for building in state.built:
        if first <= building < end:
            number += 1
    return number


def legal_build(state: RexState) -> Sequence[int]:
    """Return CHURCH and CASTLE beyond the last building in the table, and BUILD_DONE after the first."""
    found: list[int] = []
    last = state.built[-1] if state.built else 0
    for diocese in range(DIOCESE_COUNT):
        first = CHURCH + diocese * REGION_COUNT
        if last < first + REGION_COUNT:
            sites = regions_of(church_sites(state, diocese))
            found += [first + region for region in sites if first + region > last]
    found += [CASTLE + region for region in regions_of(castle_sites(state)) if CASTLE + region > last]
    if state.built:
        found.append(BUILD_DONE)
    return found


def is_legal_build(state: RexState, action: int) -> bool:
    """Tell whether the action builds something, or stops."""
    if action == BUILD_DONE:
        return bool(state.built)
    if state.built and action <= state.built[-1]:
        return False
    if CASTLE <= action < CASTLE + REGION_COUNT:
        return castle_sites(state) & BIT[action - CASTLE] != 0
    if not CHURCH <= action < CASTLE:
        return False
    diocese, region = (action - CHURCH) // REGION_COUNT, (action - CHURCH) % REGION_COUNT
    return church_sites(state, diocese) & BIT[region] != 0


def apply_build(state: RexState, action: int) -> None:
    """Build and pay; the action ends by itself when nothing more is legal."""
    put_building(state, action)
    state.built = (*state.built, action)
    further = legal_build(state)
    if len(further) == 1:
        flow.end_turn(state)
    else:
        state.legal = further


def put_building(state: RexState, action: int) -> None:
    """Put a church or a castle on the board and pay for it (K12)."""
    seat = state.active
    if action >= CASTLE:
        state.castles |= BIT[action - CASTLE]
        state.gold[seat] -= state.options.castle_price
    else:
        diocese, region = (action - CHURCH) // REGION_COUNT, (action - CHURCH) % REGION_COUNT
        state.churches[diocese] |= BIT[region]
        state.gold[seat] -= state.options.church_price


def check_build(state: RexState) -> None:
    """Raise PositionError unless what was built stands there."""
    for building in state.built:
        diocese, region = (building - CHURCH) // REGION_COUNT, (building - CHURCH) % REGION_COUNT
        mask = state.castles if building >= CASTLE else state.churches[diocese]
        standing = mask & state.land[state.active] & BIT[region]
        need(standing, f"pending.built: {ACTIONS.names[building]} does not stand there")
