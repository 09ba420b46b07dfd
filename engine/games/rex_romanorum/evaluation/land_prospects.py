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
from engine.games.rex_romanorum.evaluation.weights import Weights
from engine.games.rex_romanorum.odds import win_probability
from engine.games.rex_romanorum.options import Triple
from engine.games.rex_romanorum.rules.acquire import affordable_regions
from engine.games.rex_romanorum.rules.count import most
from engine.games.rex_romanorum.state import COUNT, KEEP, NOTHING, RexState, all_churches, manned

_FIGURES_COUNTED: Final = 30
"""Larger fights are judged by strength, not by exact odds."""


def harvests_ahead(state: RexState, weights: Weights) -> float:
    """Return how many harvests a seat may still bring in, or spend on something as good."""
    return weights.harvests_a_round * min(weights.rounds_counted, float(state.options.round_limit - state.round))


def land_prospects(state: RexState, weights: Weights) -> list[float]:
    """Return what each seat may win or lose on the board, in gold."""
    changes = [0.0] * state.seats
    if state.phase == KEEP:
        cards = min(len(state.drawn), affordable_regions(state))
        changes[state.active] += cards * state.options.harvest[0] * harvests_ahead(state, weights)
    if state.task == ACT_ATTACK:
        _add_attacks(state, changes, weights)
    else:
        _add_dangers(state, changes, weights)
    return changes


def region_value(state: RexState, region: int, weights: Weights) -> float:
    """Return what a region with its buildings is worth, in gold."""
    _, land, church, castle, *_ = state.options.wealth
    bit = BIT[region]
    value = land + state.options.harvest[0] * harvests_ahead(state, weights)
    if all_churches(state) & bit:
        value += church + state.options.harvest[1] * harvests_ahead(state, weights)
    return weights.region * (value + (castle if state.castles & bit else 0))


def _add_attacks(state: RexState, changes: list[float], weights: Weights) -> None:
    """Add the fights of the attack that is being prepared or fought: land won, and figures lost on both sides."""
    attackers = dict(state.arrived)
    if state.phase == COUNT and state.source != NOTHING:
        there = state.source // REGION_COUNT * REGION_COUNT + state.target
        attackers[there] = attackers.get(there, 0) + most(state)
    enemies = {figures % REGION_COUNT for figures in attackers if not state.land[state.active] & BIT[figures % 62]}
    for region in sorted(enemies):
        army = _triple([attackers.get(kind * REGION_COUNT + region, 0) for kind in range(3)])
        _add_fight(state, changes, region, army, weights)


def _add_fight(state: RexState, changes: list[float], region: int, army: Triple, weights: Weights) -> None:
    garrison = _triple([state.army[kind * REGION_COUNT + region] for kind in range(3)])
    loser = state.owner[region]
    chance = likely_win(state, army, garrison, region)
    value = region_value(state, region, weights)
    figures = state.options.wealth[4:7]
    army_value = sum(map(int.__mul__, figures, army))
    garrison_value = sum(map(int.__mul__, figures, garrison))
    lost = (1 - chance) * weights.lost_army * army_value + weights.lost_figures * min(army_value, garrison_value)
    changes[state.active] += chance * value - lost
    changes[loser] -= chance * (value + garrison_value) + (1 - chance) * weights.lost_figures * garrison_value


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


def _add_dangers(state: RexState, changes: list[float], weights: Weights) -> None:
    """Add the regions that a neighbour's figures could take in their owner's next attack."""
    standing = manned(state)
    for seat, land in enumerate(state.land):
        if not land & standing:
            continue
        enemies = state.owned & ~land
        for region in regions_of(_around(land & standing) & enemies):
            chance = weights.risk * _threat(state, region, land)
            value = chance * region_value(state, region, weights)
            changes[state.owner[region]] -= value
            changes[seat] += weights.conquest * value


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
