"""What each seat may win or lose on the board: land that is attacked, or in danger. For the evaluation."""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.actions import ACT_ATTACK, ARCHER, FOOT, KNIGHT
from engine.games.rex_romanorum.board import (
    BIT,
    NEIGHBOURS,
    REGION_COUNT,
    regions_of,
)
from engine.games.rex_romanorum.odds import win_probability
from engine.games.rex_romanorum.options import Triple
from engine.games.rex_romanorum.rules.land import affordable_regions
from engine.games.rex_romanorum.rules.moves import most_figures
from engine.games.rex_romanorum.state import COUNT, KEEP, NOTHING, RexState, all_churches, manned

_HARVESTS_A_ROUND: Final = 0.4
_ROUNDS_COUNTED: Final = 12
_RISK: Final = 0.3
"""How likely an army that can attack does."""
_FIGURES_COUNTED: Final = 30
"""Larger fights are judged by strength, not by exact odds."""


def harvests_ahead(state: RexState) -> float:
    """Return how many harvests a seat may still bring in, or spend on something as good."""
    return _HARVESTS_A_ROUND * min(_ROUNDS_COUNTED, state.options.round_limit - state.round)


def land_prospects(state: RexState) -> list[float]:
    """Return what each seat may win or lose on the board, in gold."""
    changes = [0.0] * state.seats
    if state.phase == KEEP:
        cards = min(len(state.drawn), affordable_regions(state))
        changes[state.active] += cards * state.options.harvest[0] * harvests_ahead(state)
    if state.task == ACT_ATTACK:
        _add_attacks(state, changes)
    else:
        _add_dangers(state, changes)
    return changes


def region_value(state: RexState, region: int) -> float:
    """Return what a region with its buildings is worth, in gold."""
    _, land, church, castle, *_ = state.options.wealth
    bit = BIT[region]
    value = land + state.options.harvest[0] * harvests_ahead(state)
    if all_churches(state) & bit:
        value += church + state.options.harvest[1] * harvests_ahead(state)
    return value + (castle if state.castles & bit else 0)


def _add_attacks(state: RexState, changes: list[float]) -> None:
    """Add the fights of the attack that is being prepared or fought: land won, and figures lost on both sides."""
    attackers = dict(state.arrived)
    if state.phase == COUNT and state.source != NOTHING:
        there = state.source // REGION_COUNT * REGION_COUNT + state.target
        attackers[there] = attackers.get(there, 0) + most_figures(state)
    enemies = {figures % REGION_COUNT for figures in attackers if not state.land[state.active] & BIT[figures % 62]}
    for region in sorted(enemies):
        army = _triple([attackers.get(kind * REGION_COUNT + region, 0) for kind in range(3)])
        _add_fight(state, changes, region, army)


def _add_fight(state: RexState, changes: list[float], region: int, army: Triple) -> None:
    garrison = _triple([state.army[kind * REGION_COUNT + region] for kind in range(3)])
    loser = state.owner[region]
    chance = likely_win(state, army, garrison, region)
    value = region_value(state, region)
    figures = state.options.wealth[4:7]
    army_value = sum(map(int.__mul__, figures, army))
    garrison_value = sum(map(int.__mul__, figures, garrison))
    changes[state.active] += chance * value - (1 - chance) * 0.8 * army_value - 0.3 * min(army_value, garrison_value)
    changes[loser] -= chance * (value + garrison_value) + (1 - chance) * 0.3 * garrison_value


def _triple(numbers: list[int]) -> Triple:
    return numbers[0], numbers[1], numbers[2]


def likely_win(state: RexState, army: Triple, garrison: Triple, region: int) -> float:
    """Return the chance that an army takes a region: exact for small fights, by strength for large ones."""
    terrain = 1 if state.castles & BIT[region] else 0
    if sum(army) + sum(garrison) <= _FIGURES_COUNTED:
        return win_probability(army, garrison, terrain, state.options)
    attack = _strength(army, state.options.strength[terrain][0])
    defence = _strength(garrison, state.options.strength[terrain][1])
    return attack**2 / (attack**2 + defence**2) if attack else 0.0


def _strength(army: Triple, values: Triple) -> float:
    """Return the strength of an army, in which numbers count as much as hits: what strikes and what can be lost."""
    return float((sum(map(int.__mul__, army, values)) * sum(army)) ** 0.5)


def _add_dangers(state: RexState, changes: list[float]) -> None:
    """Add the regions that a neighbour's figures could take in their owner's next attack."""
    standing = manned(state)
    for seat, land in enumerate(state.land):
        if not land & standing:
            continue
        enemies = state.owned & ~land
        for region in regions_of(_around(land & standing) & enemies):
            chance = _RISK * _threat(state, region, land)
            value = chance * region_value(state, region)
            changes[state.owner[region]] -= value
            changes[seat] += 0.5 * value


def _around(regions: int) -> int:
    found = 0
    for region in regions_of(regions):
        found |= NEIGHBOURS[region]
    return found


def _threat(state: RexState, region: int, land: int) -> float:
    """Return how likely the figures beside the region would take it if all of them attacked."""
    army = [0, 0, 0]
    for near in regions_of(NEIGHBOURS[region] & land & manned(state)):
        for kind in (FOOT, ARCHER, KNIGHT):
            army[kind] += state.army[kind * REGION_COUNT + near]
    garrison = _triple([state.army[kind * REGION_COUNT + region] for kind in (FOOT, ARCHER, KNIGHT)])
    if not any(garrison):
        return 1.0
    terrain = 1 if state.castles & BIT[region] else 0
    attack = _strength(_triple(army), state.options.strength[terrain][0])
    defence = _strength(garrison, state.options.strength[terrain][1])
    return attack**2 / (attack**2 + defence**2)
