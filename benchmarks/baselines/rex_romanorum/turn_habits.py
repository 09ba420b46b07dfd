"""Which of the seven actions a sensible player takes: each is weighed in gold, with a little caprice; of `habits`."""

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
from engine.games.rex_romanorum.rules.land import CARDS_DRAWN, affordable_regions, may_add_church
from engine.games.rex_romanorum.scoring import production, wealth
from engine.games.rex_romanorum.state import RexState, manned

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


def choose_turn(state: RexState, random: Random) -> int:
    """Return the action of the turn that is worth most."""
    best, best_worth = ACT_HARVEST, float("-inf")
    for action in state.legal_actions():
        worth = _worth(state, action, random) * (1 - _CAPRICE * random.random())
        if worth > best_worth:
            best, best_worth = action, worth
    return best


def harvests_ahead(state: RexState) -> float:
    """Return how many harvests are still to come, as a plan of a turn counts them."""
    return min(_MOST_AHEAD, 0.5 * (state.options.round_limit - state.round))


def _worth(state: RexState, action: int, random: Random) -> float:
    seat = state.active
    if action == ACT_HARVEST:
        return min(state.options.harvest[3], production(state, seat))
    if action == ACT_ACQUIRE:
        cards = min(CARDS_DRAWN, len(state.pile) + len(state.discards), affordable_regions(state))
        return cards * state.options.harvest[0] * harvests_ahead(state)
    if action == ACT_BUILD:
        return _worth_of_building(state, seat)
    if action == ACT_MUSTER:
        return _worth_of_mustering(state, seat)
    if action == ACT_ATTACK:
        return _worth_of_attacking(state, seat)
    if action == ACT_KING:
        return _worth_of_crown(state, seat, random)
    return _worth_of_election(state, seat, action - ACT_BISHOP)


def _region_worth(state: RexState) -> float:
    """Return what a conquered region is worth: gained, and lost by somebody else."""
    gained = state.options.wealth[1] + state.options.harvest[0] * harvests_ahead(state)
    return gained * (1 + 1 / (state.seats - 1))


def _title_worth(state: RexState) -> float:
    return state.options.wealth[7] + state.options.harvest[2] * harvests_ahead(state) + _VOTE


def _worth_of_building(state: RexState, seat: int) -> float:
    """Return what building is worth: each church on the way to a bishop's hat counts."""
    worth = 0.0
    for diocese in range(DIOCESE_COUNT):
        own = (state.churches[diocese] & state.land[seat]).bit_count()
        others = (state.churches[diocese] & state.owned).bit_count() - own
        if state.titles[diocese] != seat and own <= others and may_add_church(state, diocese):
            worth = max(worth, _title_worth(state) / (1 + others - own))
    return 0.7 * worth + state.options.harvest[1] * harvests_ahead(state)


def _worth_of_election(state: RexState, seat: int, diocese: int) -> float:
    if state.titles[diocese] == seat:
        return -1.0
    own = (state.churches[diocese] & state.land[seat]).bit_count()
    others = (state.churches[diocese] & state.owned).bit_count() - own
    chance = 1.0 if own > others else 0.5 if own == others else 0.0
    return chance * _title_worth(state) - state.options.bishop_election_price


def _worth_of_crown(state: RexState, seat: int, random: Random) -> float:
    """Return what calling the royal election is worth.

    It is won with enough titles, and one vote may be bought; a king who is not the richest shares the first place.
    """
    missing = state.options.votes_to_win - state.titles.count(seat)
    if missing > 0:
        return _BRIBERY * state.gold[seat] if missing == 1 else -1.0
    own = wealth(state, seat) - state.options.king_election_price
    if own > max(wealth(state, other) for other in range(state.seats) if other != seat):
        return _CERTAIN
    return _CERTAIN if random.random() < _SHARED else -1.0


def _worth_of_attacking(state: RexState, seat: int) -> float:
    """Return what an attack is worth: undefended regions, as many as it has figures for, and fights of good odds."""
    standing, land = manned(state), state.land[seat]
    targets = around(land & standing) & state.owned & ~land
    easy = (targets & ~standing).bit_count()
    figures = sum(_figures(state, region) for region in regions_of(land & standing & around(targets)))
    worth = min(easy, figures) * _region_worth(state)
    return worth + sum(_fight_worth(state, region, land & standing) for region in regions_of(targets & standing))


def _fight_worth(state: RexState, region: int, armies: int) -> float:
    attackers = sum(_figures(state, near) for near in regions_of(NEIGHBOURS[region] & armies))
    defenders = _figures(state, region)
    if attackers < 1.5 * defenders:
        return 0.0
    return 0.8 * _region_worth(state) - 0.3 * defenders


def _figures(state: RexState, region: int) -> int:
    army = state.army
    return army[region] + 2 * army[REGION_COUNT + region] + 4 * army[2 * REGION_COUNT + region]


def _worth_of_mustering(state: RexState, seat: int) -> float:
    """Return what new figures are worth beside others' undefended land, and in own land that is in danger."""
    standing, land = manned(state), state.land[seat]
    mine, theirs = land & standing, state.owned & ~land
    gold = max(0, state.gold[seat] - RESERVE) // state.options.cost[0]
    chances = (around(land) & ~around(mine) & theirs & ~standing).bit_count()
    dangers = (around(theirs & standing) & land & ~standing).bit_count()
    return (min(gold, chances) * _SURPRISE + min(gold, dangers) * _FEAR) * _region_worth(state)


def around(regions: int) -> int:
    """Return the neighbours of all these regions."""
    found = 0
    for region in regions_of(regions):
        found |= NEIGHBOURS[region]
    return found


def frontier(state: RexState, seat: int) -> int:
    """Return the seat's regions beside somebody else's."""
    return around(state.owned & ~state.land[seat]) & state.land[seat]


def title_regions(state: RexState, seat: int) -> int:
    """Return the regions that titles not yet held by the seat need, and the cities with a church."""
    wanted = 0
    for title, (needed, groups) in enumerate(state.options.titles, start=3):
        if state.titles[title] != seat:
            wanted |= needed
            for group in groups:
                wanted |= group
    for region in state.options.start_churches:
        wanted |= BIT[region]
    return wanted
