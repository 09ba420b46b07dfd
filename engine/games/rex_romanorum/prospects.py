"""What is likely to change hands soon: titles and votes, and land that is attacked or in danger. For the evaluation."""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.actions import ACT_ATTACK, ARCHER, FOOT, KNIGHT
from engine.games.rex_romanorum.board import (
    BIT,
    DIOCESE_COUNT,
    NEIGHBOURS,
    REGION_COUNT,
    TITLE_COUNT,
    regions_of,
)
from engine.games.rex_romanorum.odds import win_probability
from engine.games.rex_romanorum.options import Triple
from engine.games.rex_romanorum.position import COUNT, KEEP, KING_VOTE, NOBODY, NOTHING, OFFER, Election, Position
from engine.games.rex_romanorum.rules.acquire import affordable_regions
from engine.games.rex_romanorum.rules.count import most
from engine.games.rex_romanorum.rules.land import all_churches, manned

_HARVESTS_A_ROUND: Final = 0.4
_ROUNDS_COUNTED: Final = 12
_BISHOPRIC: Final = 0.35
"""What the whole chapter of a diocese is worth, in votes, while another one is bishop."""
_HALF_A_TITLE: Final = 0.3
"""What a region that a title needs is worth, in votes, without the other one."""
_RISK: Final = 0.3
"""How likely an army that can attack does."""
_FIGURES_COUNTED: Final = 30
"""Larger fights are judged by strength, not by exact odds."""


def harvests_ahead(position: Position) -> float:
    """How many harvests a seat may still bring in, or spend on something as good."""
    return _HARVESTS_A_ROUND * min(_ROUNDS_COUNTED, position.options.round_limit - position.round)


def title_prospects(position: Position) -> list[float]:
    """The votes that each seat will have: titles held, and a part of those it is on the way to."""
    election = position.election
    if election is not None and position.phase in (OFFER, KING_VOTE):
        return _votes_ahead(position, election)
    votes = [float(position.titles.count(seat)) for seat in range(position.seats)]
    for diocese in range(DIOCESE_COUNT):
        _add_chapter(position, votes, diocese)
    for title, (needed, groups) in enumerate(position.options.titles, start=3):
        partners = needed
        for group in groups:
            partners |= group
        for seat, land in enumerate(position.land):
            if position.titles[title] != seat and land & needed:
                votes[seat] += _HALF_A_TITLE * (1 if land & partners & ~needed or needed.bit_count() == 1 else 0.5)
    return votes


def _add_chapter(position: Position, votes: list[float], diocese: int) -> None:
    """Part of the bishop's vote goes to whoever has the churches; all of it once the candidates are known."""
    churches = position.churches[diocese]
    total = (churches & position.owned).bit_count()
    if not total:
        return
    election = position.election
    weight = 1.0 if election is not None and election.diocese == diocese else _BISHOPRIC
    bishop = position.titles[diocese]
    if bishop != NOBODY:
        votes[bishop] -= weight
    for seat, land in enumerate(position.land):
        share = (churches & land).bit_count() / total
        votes[seat] += weight * (share if seat != bishop or weight == 1 else max(share, 1.0))


def _votes_ahead(position: Position, election: Election) -> list[float]:
    """Votes cast in the royal election, and those of the electors still to come who stand themselves."""
    votes = [float(count) for count in election.votes]
    for place in range(election.elector, TITLE_COUNT):
        holder = position.titles[position.options.vote_order[place]]
        if holder == NOBODY:
            continue
        if holder in election.candidates:
            votes[holder] += 1
            continue
        offers = election.offers if place == election.elector else [0] * position.seats
        total = sum(offers) + len(election.candidates)
        for candidate in election.candidates:
            votes[candidate] += 0.5 * (offers[candidate] + 1) / total
    return votes


def land_prospects(position: Position) -> list[float]:
    """What each seat may win or lose on the board, in gold."""
    changes = [0.0] * position.seats
    if position.phase == KEEP:
        cards = min(len(position.drawn), affordable_regions(position))
        changes[position.active] += cards * position.options.harvest[0] * harvests_ahead(position)
    if position.task == ACT_ATTACK:
        _add_attacks(position, changes)
    else:
        _add_dangers(position, changes)
    return changes


def region_value(position: Position, region: int) -> float:
    """What a region with its buildings is worth, in gold."""
    _, land, church, castle, *_ = position.options.wealth
    bit = BIT[region]
    value = land + position.options.harvest[0] * harvests_ahead(position)
    if all_churches(position) & bit:
        value += church + position.options.harvest[1] * harvests_ahead(position)
    return value + (castle if position.castles & bit else 0)


def _add_attacks(position: Position, changes: list[float]) -> None:
    """The fights of the attack that is being prepared or fought: land won, and figures lost on both sides."""
    attackers = dict(position.arrived)
    if position.phase == COUNT and position.source != NOTHING:
        there = position.source // REGION_COUNT * REGION_COUNT + position.target
        attackers[there] = attackers.get(there, 0) + most(position)
    enemies = {
        figures % REGION_COUNT for figures in attackers if not position.land[position.active] & BIT[figures % 62]
    }
    for region in sorted(enemies):
        army = _triple([attackers.get(kind * REGION_COUNT + region, 0) for kind in range(3)])
        _add_fight(position, changes, region, army)


def _add_fight(position: Position, changes: list[float], region: int, army: Triple) -> None:
    garrison = _triple([position.army[kind * REGION_COUNT + region] for kind in range(3)])
    loser = position.owner[region]
    chance = likely_win(position, army, garrison, region)
    value = region_value(position, region)
    figures = position.options.wealth[4:7]
    army_value = sum(map(int.__mul__, figures, army))
    garrison_value = sum(map(int.__mul__, figures, garrison))
    changes[position.active] += chance * value - (1 - chance) * 0.8 * army_value - 0.3 * min(army_value, garrison_value)
    changes[loser] -= chance * (value + garrison_value) + (1 - chance) * 0.3 * garrison_value


def _triple(numbers: list[int]) -> Triple:
    return numbers[0], numbers[1], numbers[2]


def likely_win(position: Position, army: Triple, garrison: Triple, region: int) -> float:
    """The chance that an army takes a region: exact for small fights, by strength for large ones."""
    terrain = 1 if position.castles & BIT[region] else 0
    if sum(army) + sum(garrison) <= _FIGURES_COUNTED:
        return win_probability(army, garrison, terrain, position.options)
    attack = _strength(army, position.options.strength[terrain][0])
    defence = _strength(garrison, position.options.strength[terrain][1])
    return attack**2 / (attack**2 + defence**2) if attack else 0.0


def _strength(army: Triple, values: Triple) -> float:
    """Numbers count as much as hits: what strikes and what can be lost."""
    return float((sum(map(int.__mul__, army, values)) * sum(army)) ** 0.5)


def _add_dangers(position: Position, changes: list[float]) -> None:
    """Own regions that a neighbour's figures could take in his next attack."""
    standing = manned(position)
    for seat, land in enumerate(position.land):
        if not land & standing:
            continue
        enemies = position.owned & ~land
        for region in regions_of(_around(land & standing) & enemies):
            chance = _RISK * _threat(position, region, land)
            value = chance * region_value(position, region)
            changes[position.owner[region]] -= value
            changes[seat] += 0.5 * value


def _around(regions: int) -> int:
    found = 0
    for region in regions_of(regions):
        found |= NEIGHBOURS[region]
    return found


def _threat(position: Position, region: int, land: int) -> float:
    """How likely the figures beside the region, all together, would take it."""
    army = [0, 0, 0]
    for near in regions_of(NEIGHBOURS[region] & land & manned(position)):
        for kind in (FOOT, ARCHER, KNIGHT):
            army[kind] += position.army[kind * REGION_COUNT + near]
    garrison = _triple([position.army[kind * REGION_COUNT + region] for kind in (FOOT, ARCHER, KNIGHT)])
    if not any(garrison):
        return 1.0
    terrain = 1 if position.castles & BIT[region] else 0
    attack = _strength(_triple(army), position.options.strength[terrain][0])
    defence = _strength(garrison, position.options.strength[terrain][1])
    return attack**2 / (attack**2 + defence**2)
