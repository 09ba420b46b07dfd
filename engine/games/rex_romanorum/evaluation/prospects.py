"""What each seat may win or lose, for the evaluation: on the board by attacks, and by votes for bishops and a king."""

from __future__ import annotations

from math import exp
from typing import Final

from engine.games.rex_romanorum.actions import ACT_ATTACK, ARCHER, FOOT, KNIGHT
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, NEIGHBOURS, REGION_COUNT, TITLE_COUNT, regions_of
from engine.games.rex_romanorum.evaluation.weights import Weights
from engine.games.rex_romanorum.odds import win_probability
from engine.games.rex_romanorum.options import Triple
from engine.games.rex_romanorum.rules.elections import church_votes
from engine.games.rex_romanorum.rules.land import affordable_regions
from engine.games.rex_romanorum.rules.moves import most_figures
from engine.games.rex_romanorum.state import (
    BISHOP_VOTE,
    COUNT,
    KEEP,
    KING_VOTE,
    NOBODY,
    NOTHING,
    OFFER,
    STAND,
    Election,
    RexState,
    all_churches,
    manned,
)

_FIGURES_COUNTED: Final = 30
"""Larger fights are judged by strength, not by exact odds."""
_MOST_LIKELY: Final = 0.97
"""The greatest chance of being king that a look can tell."""


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
        # The fights of the attack that is being prepared or fought: land won, and figures lost on both sides.
        attackers = dict(state.arrived)
        if state.phase == COUNT and state.source != NOTHING:
            there = state.source // REGION_COUNT * REGION_COUNT + state.target
            attackers[there] = attackers.get(there, 0) + most_figures(state)
        enemies = {figures % REGION_COUNT for figures in attackers if not state.land[state.active] & BIT[figures % 62]}
        for region in sorted(enemies):
            army = _triple([attackers.get(kind * REGION_COUNT + region, 0) for kind in range(3)])
            garrison = _triple([state.army[kind * REGION_COUNT + region] for kind in range(3)])
            chance = likely_win(state, army, garrison, region)
            value = region_value(state, region, weights)
            figures = state.options.wealth[4:7]
            army_value = sum(map(int.__mul__, figures, army))
            garrison_value = sum(map(int.__mul__, figures, garrison))
            figures_lost = weights.lost_figures * min(army_value, garrison_value)
            lost = (1 - chance) * weights.lost_army * army_value + figures_lost
            changes[state.active] += chance * value - lost
            changes[state.owner[region]] -= (
                chance * (value + garrison_value) + (1 - chance) * weights.lost_figures * garrison_value
            )
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


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x), within what floats can hold."""
    return 1 / (1 + exp(-max(-40.0, min(40.0, x))))


def king_chances(state: RexState, weights: Weights) -> list[float]:
    """Return the chance of each seat to be king in the end; together they are at most `_MOST_LIKELY`."""
    needed = state.options.votes_to_win
    chances = [
        _MOST_LIKELY * sigmoid(weights.steepness * (votes - needed + weights.missing))
        for votes in vote_prospects(state, weights)
    ]
    most = sum(chances)
    return [chance * _MOST_LIKELY / most for chance in chances] if most > _MOST_LIKELY else chances


def vote_prospects(state: RexState, weights: Weights) -> list[float]:
    """Return the votes that each seat will have in the next royal election, or has in this one."""
    election = state.election
    if election is not None and election.diocese == NOTHING:
        return _royal_votes(state, election, weights)
    votes = [float(state.titles.count(seat)) for seat in range(state.seats)]
    for diocese in range(DIOCESE_COUNT):
        if election is None or election.diocese != diocese:
            # What the churches of a diocese promise: their owners may come to be its bishop.
            churches = state.churches[diocese]
            total = (churches & state.owned).bit_count()
            bishop = state.titles[diocese]
            for seat, land in enumerate(state.land):
                share = (churches & land).bit_count() / total if total else 0.0
                if seat != bishop:
                    votes[seat] += weights.chapter * share
                    if bishop != NOBODY:
                        votes[bishop] -= weights.chapter * share
    if election is not None:
        for seat, change in enumerate(expected_titles(state)):
            votes[seat] += change
    for title, (needed, groups) in enumerate(state.options.titles, start=3):
        for owner, owned in enumerate(state.land):
            if state.titles[title] != owner and owned & needed:
                met = sum(1 for group in groups if group & owned) + (owned & needed).bit_count()
                votes[owner] += weights.half_a_title * met / (needed.bit_count() + len(groups))
    return votes


def expected_titles(state: RexState) -> list[float]:
    """Return what the bishop's election under way will give and take, in titles; 0 for all if there is none."""
    election = state.election
    changes = [0.0] * state.seats
    if election is None or election.diocese == NOTHING:
        return changes
    chances = _bishop_chances(state, election)
    bishop = state.titles[election.diocese]
    for seat, chance in enumerate(chances):
        changes[seat] += chance
        if bishop != NOBODY:
            changes[bishop] -= chance
    return changes


def _bishop_chances(state: RexState, election: Election) -> list[float]:
    """Return the chance of each seat to be elected, from the votes cast and those to come.

    An owner who stands is taken to vote for himself, another for all alike.
    """
    runners = list(election.candidates)
    votes = [0.0] * state.seats
    if state.phase == STAND:
        runners += election.asked[election.at :]
    elif state.phase == BISHOP_VOTE:
        runners = list(election.ballot)
        votes = [float(count) for count in election.votes]
    if not runners:
        return [0.0] * state.seats
    for place, seat in enumerate(election.asked):
        left = church_votes(state, election, seat)
        if state.phase == BISHOP_VOTE:
            left = 0 if place < election.at else left - (election.cast if place == election.at else 0)
        for runner in [seat] if seat in runners else runners:
            votes[runner] += left / (1 if seat in runners else len(runners))
    # More than half of the votes is certain, otherwise their squares count.
    total = sum(votes)
    if len(runners) == 1 or 2 * max(votes) > total:
        return [float(seat in runners and votes[seat] == max(votes)) for seat in range(len(votes))]
    squares = sum(votes[runner] ** 2 for runner in runners) or 1.0
    return [votes[seat] ** 2 / squares if seat in runners else 0.0 for seat in range(len(votes))]


def _royal_votes(state: RexState, election: Election, weights: Weights) -> list[float]:
    """Return the votes cast, those of electors to come who stand themselves, and a part of the others."""
    runners = [*election.candidates, *(election.asked[election.at :] if state.phase == STAND else [])]
    votes = [float(count) for count in election.votes]
    open_votes = [0.0] * state.seats
    for place in range(election.elector, TITLE_COUNT):
        holder = state.titles[state.options.vote_order[place]]
        if holder in runners:
            votes[holder] += 1
        elif holder != NOBODY and runners:
            # Offers to an elector who does not stand are known only once he is asked.
            are_known = state.phase in (OFFER, KING_VOTE) and place == election.elector
            shares = {runner: 1 + (election.offers[runner] if are_known else 0) for runner in runners}
            for runner, share in shares.items():
                open_votes[runner] += weights.bought * share / sum(shares.values())
    needed = state.options.votes_to_win
    return [
        sure + maybe + (weights.certain if sure >= needed else 0) if seat in runners else 0.0
        for seat, (sure, maybe) in enumerate(zip(votes, open_votes, strict=True))
    ]


def expected_payments(state: RexState, bought: float) -> list[float]:
    """Return what the open offers will bring and cost each seat, in gold."""
    election = state.election
    changes = [0.0] * state.seats
    if election is None or state.phase not in (OFFER, KING_VOTE):
        return changes
    elector = state.titles[state.options.vote_order[election.elector]]
    for seat, offer in enumerate(election.offers):
        expected = bought * offer / max(1, len(election.candidates) - 1)
        changes[seat] -= expected
        changes[elector] += expected
    return changes
