"""How a sensible player places and moves figures, and when he fights on. A part of `habits`."""

from __future__ import annotations

from random import Random
from typing import Final

from benchmarks.baselines.rex_romanorum.turn_habits import RESERVE, around, frontier
from engine.games.rex_romanorum.actions import (
    ACT_ACQUIRE,
    ACT_ATTACK,
    COUNT,
    FIGHT_ON,
    MOVE_DONE,
    MOVE_FROM,
    MOVE_TO,
    PLACE,
    PLACE_DONE,
    RETREAT,
)
from engine.games.rex_romanorum.board import ABOVE, BIT, NEIGHBOURS, REGION_COUNT, regions_of
from engine.games.rex_romanorum.rules.moves import most_figures, targets
from engine.games.rex_romanorum.state import NOTHING, RexState, manned

_ODDS: Final = 1.3
"""How much stronger an attack must be than the garrison; strength is hits times figures, so this is a good chance."""


def choose_garrison(state: RexState, random: Random) -> int:
    """Place one foot in a new region beside an enemy, while gold is left for more land."""
    del random
    if state.gold[state.active] > 3 * state.options.region_price:
        border = frontier(state, state.active)
        for action in state.legal_actions():
            if action < PLACE + REGION_COUNT and border & BIT[action - PLACE]:
                return action
    return PLACE_DONE


def choose_place(state: RexState, random: Random) -> int:
    """Place foot in the next region that needs it, or stop after the last."""
    del random
    sites = _sites(state) & _after(state.last)
    if state.last < REGION_COUNT and sites and state.gold[state.active] > RESERVE:
        return PLACE + regions_of(sites)[0]
    return PLACE_DONE


def _after(last: int) -> int:
    return ~0 if last == NOTHING else ABOVE[last] if last < REGION_COUNT else 0


def _sites(state: RexState) -> int:
    """Return own regions beside undefended land or armies of others; if there are none, the border."""
    seat = state.active
    standing, land = manned(state), state.land[seat]
    theirs = state.owned & ~land
    urgent = land & (around(theirs & standing) | around(theirs & ~standing & ~around(land & standing)))
    return urgent or land & around(theirs)


def choose_source(state: RexState, random: Random) -> int:
    """Pick, in an attack, the next figures with a target worth it; in a muster nothing moves."""
    del random
    legal = state.legal_actions()
    if state.task == ACT_ATTACK:
        for action in legal:
            if action != MOVE_DONE and _target(state, action - MOVE_FROM) != NOTHING:
                return action
    return MOVE_DONE if legal[-1] == MOVE_DONE else legal[0]


def choose_target(state: RexState, random: Random) -> int:
    """Go to the target for which the source was picked; if there is none, stay in own land."""
    del random
    target = _target(state, state.source)
    if target != NOTHING:
        return MOVE_TO + target
    legal = state.legal_actions()
    land = state.land[state.active]
    return next((action for action in legal if land & BIT[action - MOVE_TO]), legal[0])


def _target(state: RexState, figures: int) -> int:
    """Return an undefended enemy region that is not attacked yet, or the weakest that falls to all who can come."""
    land, standing = state.land[state.active], manned(state)
    enemies = targets(state, figures) & ~land
    attacked = 0
    for there in state.arrived:
        attacked |= BIT[there % REGION_COUNT]
    free = enemies & ~standing & ~attacked
    if free:
        return regions_of(free)[0]
    best, least = NOTHING, 1 << 30
    for region in regions_of(enemies & standing):
        defence = _defence(state, region)
        if defence < least and _gathered(state, region, land & standing) >= _ODDS * defence:
            best, least = region, defence
    return best


def _terrain(state: RexState, region: int) -> int:
    return 1 if state.castles & BIT[region] else 0


def _defence(state: RexState, region: int) -> int:
    values = state.options.strength[_terrain(state, region)][1]
    army = state.army
    numbers = (army[region], army[REGION_COUNT + region], army[2 * REGION_COUNT + region])
    return sum(map(int.__mul__, numbers, values)) * sum(numbers)


def _gathered(state: RexState, region: int, armies: int) -> int:
    """Return the strength of what has arrived and of what stands beside the region."""
    numbers = [state.arrived.get(kind * REGION_COUNT + region, 0) for kind in range(3)]
    for near in regions_of(NEIGHBOURS[region] & armies):
        for kind in range(3):
            numbers[kind] += state.army[kind * REGION_COUNT + near]
    values = state.options.strength[_terrain(state, region)][0]
    return sum(map(int.__mul__, numbers, values)) * sum(numbers)


def choose_count(state: RexState, random: Random) -> int:
    """Send one figure into an undefended region and all into a fight; divide the gold among placements."""
    del random
    highest = most_figures(state)
    if state.source != NOTHING:
        is_free = state.task == ACT_ATTACK and not BIT[state.target] & manned(state)
        return COUNT + (1 if is_free else highest)
    if state.task == ACT_ACQUIRE:
        return COUNT + 1
    left = (_sites(state) & _after(state.target)).bit_count() + 1
    share = (state.gold[state.active] - RESERVE) // (left * state.options.cost[0])
    return COUNT + max(1, min(highest, share))


def choose_fight(state: RexState, random: Random) -> int:
    """Begin with the first fight of the list."""
    del random
    return state.legal_actions()[0]


def choose_round(state: RexState, random: Random) -> int:
    """Fight on while the attackers are no weaker; then retreat to the first region that is open."""
    del random
    legal = state.legal_actions()
    region = state.target
    if len(legal) == 1 or _gathered(state, region, 0) >= _defence(state, region):
        return FIGHT_ON
    return next(action for action in legal if action >= RETREAT)
