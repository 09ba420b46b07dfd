"""RAZE, FIGHT and FIGHT_ON: conquest, fights round by round, retreat (section 4, C8-C17, K5, K6, K11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import FIGHT, FIGHT_ON, KEEP_CASTLE, RAZE, RETREAT
from engine.games.rex_romanorum.board import BIT, NEIGHBOURS, REGION_COUNT, first_of, mask_of, regions_of
from engine.games.rex_romanorum.options import Triple
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.rules.land import add_figures, take
from engine.games.rex_romanorum.state import FIGHT as FIGHT_PHASE
from engine.games.rex_romanorum.state import FIGHT_ON as FIGHT_ON_PHASE
from engine.games.rex_romanorum.state import NOTHING, RexState, manned
from engine.games.rex_romanorum.state import RAZE as RAZE_PHASE
from engine.kit.field_codecs import need

_RAZES: Final[tuple[int, ...]] = (RAZE, KEEP_CASTLE)


def settle_arrivals(state: RexState) -> None:
    """Let the figures that moved into own regions stand there; the others are attackers."""
    land = state.land[state.active]
    attackers: dict[int, int] = {}
    for figures, number in state.arrived.items():
        if land & BIT[figures % REGION_COUNT]:
            add_figures(state, figures, number)
        else:
            attackers[figures] = number
    state.arrived = attackers


def begin(state: RexState) -> None:
    """Begin the attack on every foreign region with a figure of the active player, undefended ones first (C8)."""
    attacked = 0
    for figures in state.arrived:
        attacked |= BIT[figures % REGION_COUNT]
    defended = manned(state)
    state.undefended = attacked & ~defended
    state.contested = attacked & defended
    go_on(state)


def go_on(state: RexState) -> None:
    """Conquer the next undefended region (K5), else ask for the next fight (C9), else end the turn."""
    state.target = NOTHING
    while state.undefended:
        region = first_of(state.undefended)
        state.undefended &= ~BIT[region]
        conquer(state, region)
        if state.phase == RAZE_PHASE:
            return
    if state.contested:
        state.phase = FIGHT_PHASE
    else:
        flow.end_turn(state)


def conquer(state: RexState, region: int) -> None:
    """Give the region to the attackers in it, with its church and titles (C13); with a castle RAZE follows (C14)."""
    take(state, region, state.active)
    stand_down(state, region, region)
    if state.castles & BIT[region]:
        state.phase = RAZE_PHASE
        state.target = region


def stand_down(state: RexState, region: int, to: int) -> None:
    """Turn the attackers in `region` into ordinary figures in `to`, an own region."""
    for first in (0, REGION_COUNT, 2 * REGION_COUNT):
        number = state.arrived.pop(first + region, 0)
        if number:
            add_figures(state, first + to, number)


def legal_raze(_state: RexState) -> Sequence[int]:
    """Return RAZE and KEEP_CASTLE."""
    return _RAZES


def is_legal_raze(_state: RexState, action: int) -> bool:
    """Tell whether the action decides on the castle."""
    return action in (RAZE, KEEP_CASTLE)


def apply_raze(state: RexState, action: int) -> None:
    """Raze the castle of the region just conquered, or keep it; knights in it stay either way (B3, B8)."""
    if action == RAZE:
        state.castles &= ~BIT[state.target]
    state.phase = FIGHT_PHASE
    go_on(state)


def legal_fight(state: RexState) -> Sequence[int]:
    """Return FIGHT for each region that is still contested."""
    return [FIGHT + region for region in regions_of(state.contested)]


def is_legal_fight(state: RexState, action: int) -> bool:
    """Tell whether the action fights in a region that is still contested."""
    region = action - FIGHT
    return 0 <= region < REGION_COUNT and state.contested & BIT[region] != 0


def apply_fight(state: RexState, action: int) -> None:
    """Fight the first round in the region chosen."""
    state.target = action - FIGHT
    state.contested &= ~BIT[state.target]
    fight_round(state)


def retreats(state: RexState) -> int:
    """Return the own regions beside the fight (C12); those conquered this turn count."""
    return NEIGHBOURS[state.target] & state.land[state.active]


def legal_fight_on(state: RexState) -> Sequence[int]:
    """Return FIGHT_ON, and RETREAT to each own region beside the fight."""
    return [FIGHT_ON, *(RETREAT + region for region in regions_of(retreats(state)))]


def is_legal_fight_on(state: RexState, action: int) -> bool:
    """Tell whether the action goes on, or retreats to where it may."""
    region = action - RETREAT
    return action == FIGHT_ON or (0 <= region < REGION_COUNT and retreats(state) & BIT[region] != 0)


def apply_fight_on(state: RexState, _action: int) -> None:
    """Fight another round."""
    fight_round(state)


def apply_retreat(state: RexState, action: int) -> None:
    """Move all attackers to an own region; the region of the fight is left alone this turn (K6)."""
    stand_down(state, state.target, action - RETREAT)
    go_on(state)


def fight_round(state: RexState) -> None:
    """Roll one full round in the region of the fight, and see who is left (C11)."""
    region = state.target
    indices = (region, REGION_COUNT + region, 2 * REGION_COUNT + region)
    sides = [[state.arrived.get(i, 0) for i in indices], [state.army[i] for i in indices]]
    roll_round(state, sides)
    for kind in range(3):
        attackers, defenders = sides[0][kind], sides[1][kind]
        figures = kind * REGION_COUNT + region
        if attackers:
            state.arrived[figures] = attackers
        else:
            state.arrived.pop(figures, None)
        state.army[figures] = defenders
        if not defenders:
            state.standing[kind] &= ~BIT[region]
    if not any(sides[1]):  # C15
        conquer(state, region)
        if state.phase != RAZE_PHASE:
            go_on(state)
    elif any(sides[0]):
        state.phase = FIGHT_ON_PHASE
    else:
        go_on(state)


def roll_round(state: RexState, sides: list[list[int]]) -> None:
    """Roll the six steps of section 4.2 and remove what is hit; `sides` are (attackers, defenders) by kind.

    In a step all living figures of one side and kind roll; the fight ends at once when a side is gone (K11).
    """
    options = state.options
    terrain = 1 if state.castles & BIT[state.target] else 0
    chance = state.source_of_chance()
    for side, kind in options.roll_order[terrain]:
        dice = [chance.d6() for _ in range(sides[side][kind])]
        if not dice:
            continue
        state.revelations = (*state.revelations, ("d6", dice))
        value = options.strength[terrain][side][kind]
        hits = sum(die <= value for die in dice) if options.hits_low else sum(die >= value for die in dice)
        remove_hit(sides[1 - side], options.rows[terrain], hits)
        if not any(sides[1 - side]):
            break


def remove_hit(figures: list[int], rows: Triple, hits: int) -> None:
    """Remove as many figures as are hit, front row first; surplus hits are lost."""
    for kind in rows:
        fallen = min(hits, figures[kind])
        figures[kind] -= fallen
        hits -= fallen


def check_attack(state: RexState) -> None:
    """Raise PositionError unless attackers stand in enemy regions, all of them still to be conquered or fought for."""
    land = state.land[state.active]
    attacked = mask_of([figures % REGION_COUNT for figures in state.arrived])
    fight = BIT[state.target] if state.phase == FIGHT_ON_PHASE and state.target != NOTHING else 0
    expected = state.undefended | state.contested | fight
    need(not state.undefended & state.contested, "pending.contested: a region is undefended and contested")
    need(attacked == expected, "pending.arrived: attackers stand in other regions than those attacked")
    need(not attacked & (land | ~state.owned), "pending.arrived: an attacked region is an enemy's")
    defended = manned(state)
    need(not state.undefended & defended, "pending.undefended: a region is defended")
    need(not (state.contested | fight) & ~defended, "pending.contested: a region is undefended")


def check_raze(state: RexState) -> None:
    """Raise PositionError unless the region just conquered has a castle."""
    check_attack(state)
    own = state.castles & state.land[state.active]
    need(state.target != NOTHING and own & BIT[state.target], "pending.target: expected an own castle")


def check_fight_on(state: RexState) -> None:
    """Raise PositionError unless a fight is under way."""
    need(state.target != NOTHING, "pending.target: expected the region of the fight")
    check_attack(state)
