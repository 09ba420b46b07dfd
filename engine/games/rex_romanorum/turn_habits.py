"""Which of the seven actions a sensible player takes: each is weighed in gold, with a little caprice. See habits.py."""

from __future__ import annotations

from random import Random
from typing import Final

from engine.games.rex_romanorum.actions import (
    ACT_ACQUIRE,
    ACT_ATTACK,
    ACT_BISHOP,
    ACT_BUILD,
    ACT_HARVEST,
    ACT_KING,
    ACT_MUSTER,
)
from engine.games.rex_romanorum.board import BIT, DIOCESE_COUNT, NEIGHBOURS, REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import Position
from engine.games.rex_romanorum.rules.acquire import CARDS_DRAWN, affordable_regions
from engine.games.rex_romanorum.rules.build import may_add_church
from engine.games.rex_romanorum.rules.land import manned, production
from engine.games.rex_romanorum.rules.scoring import wealth

_CAPRICE: Final = 0.3
_MOST_AHEAD: Final = 8
"""Harvests that a new region is counted for at most."""
_VOTE: Final = 12.0
"""What a title is worth in gold beyond its yield."""
_SURPRISE: Final = 0.6
"""What is left of an attack that is prepared a turn ahead."""
_FEAR: Final = 0.3
RESERVE: Final = 5
"""Gold kept back when figures are bought."""
_BRIBERY: Final = 0.3
"""What an election with one vote too few is worth, in parts of the gold at hand."""
_CERTAIN: Final = 1e6
_SHARED: Final = 0.25
"""How often a seat that is not the richest takes the crown it can have."""


def choose_turn(position: Position, random: Random) -> int:
    """The action of the highest worth."""
    best, best_worth = ACT_HARVEST, float("-inf")
    for action in position.legal_actions():
        worth = _worth(position, action, random) * (1 - _CAPRICE * random.random())
        if worth > best_worth:
            best, best_worth = action, worth
    return best


def harvests_ahead(position: Position) -> float:
    """How many harvests are still to come, as a plan of a turn counts them."""
    return min(_MOST_AHEAD, 0.5 * (position.options.round_limit - position.round))


def _worth(position: Position, action: int, random: Random) -> float:
    seat = position.active
    if action == ACT_HARVEST:
        return min(position.options.harvest[3], production(position, seat))
    if action == ACT_ACQUIRE:
        cards = min(CARDS_DRAWN, len(position.pile) + len(position.discards), affordable_regions(position))
        return cards * position.options.harvest[0] * harvests_ahead(position)
    if action == ACT_BUILD:
        return _worth_of_building(position, seat)
    if action == ACT_MUSTER:
        return _worth_of_mustering(position, seat)
    if action == ACT_ATTACK:
        return _worth_of_attacking(position, seat)
    if action == ACT_KING:
        return _worth_of_crown(position, seat, random)
    return _worth_of_election(position, seat, action - ACT_BISHOP)


def _region_worth(position: Position) -> float:
    """What a conquered region is worth: gained, and lost by somebody else."""
    gained = position.options.wealth[1] + position.options.harvest[0] * harvests_ahead(position)
    return gained * (1 + 1 / (position.seats - 1))


def _title_worth(position: Position) -> float:
    return position.options.wealth[7] + position.options.harvest[2] * harvests_ahead(position) + _VOTE


def _worth_of_building(position: Position, seat: int) -> float:
    """A church on the way to a bishop's hat, for each diocese where it is one."""
    worth = 0.0
    for diocese in range(DIOCESE_COUNT):
        own = (position.churches[diocese] & position.land[seat]).bit_count()
        others = (position.churches[diocese] & position.owned).bit_count() - own
        if position.titles[diocese] != seat and own <= others and may_add_church(position, diocese):
            worth = max(worth, _title_worth(position) / (1 + others - own))
    return 0.7 * worth + position.options.harvest[1] * harvests_ahead(position)


def _worth_of_election(position: Position, seat: int, diocese: int) -> float:
    if position.titles[diocese] == seat:
        return -1.0
    own = (position.churches[diocese] & position.land[seat]).bit_count()
    others = (position.churches[diocese] & position.owned).bit_count() - own
    chance = 1.0 if own > others else 0.5 if own == others else 0.0
    return chance * _title_worth(position) - position.options.bishop_election_price


def _worth_of_crown(position: Position, seat: int, random: Random) -> float:
    """Certain with enough titles; who is not the richest then shares the first place. One vote may be bought."""
    missing = position.options.votes_to_win - position.titles.count(seat)
    if missing > 0:
        return _BRIBERY * position.gold[seat] if missing == 1 else -1.0
    own = wealth(position, seat) - position.options.king_election_price
    if own > max(wealth(position, other) for other in range(position.seats) if other != seat):
        return _CERTAIN
    return _CERTAIN if random.random() < _SHARED else -1.0


def _worth_of_attacking(position: Position, seat: int) -> float:
    """Undefended regions, as many as there are figures beside them, and fights of good odds."""
    standing, land = manned(position), position.land[seat]
    targets = around(land & standing) & position.owned & ~land
    easy = (targets & ~standing).bit_count()
    figures = sum(_figures(position, region) for region in regions_of(land & standing & around(targets)))
    worth = min(easy, figures) * _region_worth(position)
    return worth + sum(_fight_worth(position, region, land & standing) for region in regions_of(targets & standing))


def _fight_worth(position: Position, region: int, armies: int) -> float:
    attackers = sum(_figures(position, near) for near in regions_of(NEIGHBOURS[region] & armies))
    defenders = _figures(position, region)
    if attackers < 1.5 * defenders:
        return 0.0
    return 0.8 * _region_worth(position) - 0.3 * defenders


def _figures(position: Position, region: int) -> int:
    army = position.army
    return army[region] + 2 * army[REGION_COUNT + region] + 4 * army[2 * REGION_COUNT + region]


def _worth_of_mustering(position: Position, seat: int) -> float:
    """New figures beside undefended land of others, and in own land that is in danger."""
    standing, land = manned(position), position.land[seat]
    mine, theirs = land & standing, position.owned & ~land
    gold = max(0, position.gold[seat] - RESERVE) // position.options.cost[0]
    chances = (around(land) & ~around(mine) & theirs & ~standing).bit_count()
    dangers = (around(theirs & standing) & land & ~standing).bit_count()
    return (min(gold, chances) * _SURPRISE + min(gold, dangers) * _FEAR) * _region_worth(position)


def around(regions: int) -> int:
    """The neighbours of all these regions."""
    found = 0
    for region in regions_of(regions):
        found |= NEIGHBOURS[region]
    return found


def frontier(position: Position, seat: int) -> int:
    """The seat's regions beside somebody else's."""
    return around(position.owned & ~position.land[seat]) & position.land[seat]


def title_regions(position: Position, seat: int) -> int:
    """The regions that titles not yet held by the seat need, and the cities with a church."""
    wanted = 0
    for title, (needed, groups) in enumerate(position.options.titles, start=3):
        if position.titles[title] != seat:
            wanted |= needed
            for group in groups:
                wanted |= group
    for region in position.options.start_churches:
        wanted |= BIT[region]
    return wanted
