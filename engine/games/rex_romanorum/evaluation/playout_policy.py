"""What a sensible player does without much thought: how searching bots play positions out, at once.

The plan of a turn is weighed in gold, armies move by simple rules, votes and bribes follow the count of titles. Equal
positions and equal random streams give equal actions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from engine.games.rex_romanorum.actions import (
    ABSTAIN,
    ACT_ACQUIRE,
    ACT_ATTACK,
    ACT_BISHOP,
    ACT_BUILD,
    ACT_HARVEST,
    ACT_KING,
    ACT_MUSTER,
    BUILD_DONE,
    CASTLE,
    CHURCH,
    COUNT,
    DECLINE,
    FIGHT_ON,
    KEEP,
    KEEP_CASTLE,
    MOVE_DONE,
    MOVE_FROM,
    MOVE_TO,
    OFFER,
    PLACE,
    PLACE_DONE,
    RETREAT,
    STAND,
    VOTE,
)
from engine.games.rex_romanorum.board import (
    ABOVE,
    BIT,
    DIOCESE_COUNT,
    NEIGHBOURS,
    REGION_COUNT,
    TITLE_COUNT,
    regions_of,
)
from engine.games.rex_romanorum.evaluation.weights import Weights
from engine.games.rex_romanorum.rules.elections import most_offered
from engine.games.rex_romanorum.rules.land import CARDS_DRAWN, affordable_regions, may_add_church
from engine.games.rex_romanorum.rules.moves import most_figures, targets
from engine.games.rex_romanorum.scoring import production, wealth
from engine.games.rex_romanorum.state import NOTHING, Election, RexState, manned

_MOST_AHEAD: Final = 8
"""Harvests that a new region is counted for at most."""
_CERTAIN: Final = 1e6
_CANDIDATES_GOLD: Final = 20
"""With this much gold a seat without titles stands: it may buy votes."""


def choose_turn(state: RexState, random: Random, weights: Weights) -> int:
    """Return the action of the turn that is worth most."""
    best, best_worth = ACT_HARVEST, float("-inf")
    for action in state.legal_actions():
        worth = _worth(state, action, random, weights) * (1 - weights.habit_caprice * random.random())
        if worth > best_worth:
            best, best_worth = action, worth
    return best


def harvests_ahead(state: RexState) -> float:
    """Return how many harvests are still to come, as a plan of a turn counts them."""
    return min(_MOST_AHEAD, 0.5 * (state.options.round_limit - state.round))


def _worth(state: RexState, action: int, random: Random, weights: Weights) -> float:
    seat = state.active
    if action == ACT_HARVEST:
        return min(state.options.harvest[3], production(state, seat))
    if action == ACT_ACQUIRE:
        cards = min(CARDS_DRAWN, len(state.pile) + len(state.discards), affordable_regions(state))
        return cards * state.options.harvest[0] * harvests_ahead(state)
    if action == ACT_BUILD:
        return _worth_of_building(state, seat, weights)
    if action == ACT_MUSTER:
        return _worth_of_mustering(state, seat, weights)
    if action == ACT_ATTACK:
        return _worth_of_attacking(state, seat, weights)
    if action == ACT_KING:
        return _worth_of_crown(state, seat, random, weights)
    return _worth_of_election(state, seat, action - ACT_BISHOP, weights)


def _region_worth(state: RexState) -> float:
    """Return what a conquered region is worth: gained, and lost by somebody else."""
    gained = state.options.wealth[1] + state.options.harvest[0] * harvests_ahead(state)
    return gained * (1 + 1 / (state.seats - 1))


def _title_worth(state: RexState, weights: Weights) -> float:
    return state.options.wealth[7] + state.options.harvest[2] * harvests_ahead(state) + weights.habit_vote


def _worth_of_building(state: RexState, seat: int, weights: Weights) -> float:
    """Return what building is worth: each church on the way to a bishop's hat counts."""
    worth = 0.0
    for diocese in range(DIOCESE_COUNT):
        own = (state.churches[diocese] & state.land[seat]).bit_count()
        others = (state.churches[diocese] & state.owned).bit_count() - own
        if state.titles[diocese] != seat and own <= others and may_add_church(state, diocese):
            worth = max(worth, _title_worth(state, weights) / (1 + others - own))
    return weights.habit_building * worth + state.options.harvest[1] * harvests_ahead(state)


def _worth_of_election(state: RexState, seat: int, diocese: int, weights: Weights) -> float:
    if state.titles[diocese] == seat:
        return -1.0
    own = (state.churches[diocese] & state.land[seat]).bit_count()
    others = (state.churches[diocese] & state.owned).bit_count() - own
    chance = 1.0 if own > others else weights.habit_even if own == others else 0.0
    return chance * _title_worth(state, weights) - state.options.bishop_election_price


def _worth_of_crown(state: RexState, seat: int, random: Random, weights: Weights) -> float:
    """Return what calling the royal election is worth.

    It is won with enough titles, and one vote may be bought; a king who is not the richest shares the first place.
    """
    missing = state.options.votes_to_win - state.titles.count(seat)
    if missing > 0:
        return weights.habit_bribery * state.gold[seat] if missing == 1 else -1.0
    own = wealth(state, seat) - state.options.king_election_price
    if own > max(wealth(state, other) for other in range(state.seats) if other != seat):
        return _CERTAIN
    return _CERTAIN if random.random() < weights.habit_crown else -1.0


def _worth_of_attacking(state: RexState, seat: int, weights: Weights) -> float:
    """Return what an attack is worth: undefended regions, as many as it has figures for, and fights of good odds."""
    standing, land = manned(state), state.land[seat]
    targets = around(land & standing) & state.owned & ~land
    easy = (targets & ~standing).bit_count()
    figures = sum(_figures(state, region) for region in regions_of(land & standing & around(targets)))
    worth = min(easy, figures) * _region_worth(state)
    return worth + sum(
        _fight_worth(state, region, land & standing, weights) for region in regions_of(targets & standing)
    )


def _fight_worth(state: RexState, region: int, armies: int, weights: Weights) -> float:
    attackers = sum(_figures(state, near) for near in regions_of(NEIGHBOURS[region] & armies))
    defenders = _figures(state, region)
    if attackers < 1.5 * defenders:
        return 0.0
    return weights.habit_fight * _region_worth(state) - weights.habit_loss * defenders


def _figures(state: RexState, region: int) -> int:
    army = state.army
    return army[region] + 2 * army[REGION_COUNT + region] + 4 * army[2 * REGION_COUNT + region]


def _worth_of_mustering(state: RexState, seat: int, weights: Weights) -> float:
    """Return what new figures are worth beside others' undefended land, and in own land that is in danger."""
    standing, land = manned(state), state.land[seat]
    mine, theirs = land & standing, state.owned & ~land
    gold = max(0.0, state.gold[seat] - weights.habit_reserve) // state.options.cost[0]
    chances = (around(land) & ~around(mine) & theirs & ~standing).bit_count()
    dangers = (around(theirs & standing) & land & ~standing).bit_count()
    return (
        min(gold, float(chances)) * weights.habit_surprise + min(gold, float(dangers)) * weights.habit_fear
    ) * _region_worth(state)


def around(regions: int) -> int:
    """Return the neighbours of all these regions."""
    found = 0
    for region in regions_of(regions):
        found |= NEIGHBOURS[region]
    return found


def frontier(state: RexState, seat: int) -> int:
    """Return the seat's regions beside somebody else's."""
    return around(state.owned & ~state.land[seat]) & state.land[seat]


def choose_stand(state: RexState, random: Random, weights: Weights) -> int:
    """Stand for bishop always; for king with a vote of one's own, or with gold for the votes of others."""
    del random, weights
    election, seat = _asked(state)
    if election.diocese != NOTHING or state.titles.count(seat) or state.gold[seat] >= _CANDIDATES_GOLD:
        return STAND
    return DECLINE


def choose_bishop(state: RexState, random: Random, weights: Weights) -> int:
    """Vote for ourselves if we stand; otherwise for the candidate with the fewest titles."""
    del random, weights
    legal = state.legal_actions()
    own = VOTE + _asked(state)[1]
    if own in legal:
        return own
    return min(legal, key=lambda action: state.titles.count(action - VOTE))


def choose_offer(state: RexState, random: Random, weights: Weights) -> int:
    """Offer much for the vote that crowns us, a little for the one before it, and nothing otherwise."""
    election, seat = _asked(state)
    missing = state.options.votes_to_win - _votes_in_hand(state, election, seat)
    gold = most_offered(state)
    if missing == 1:
        return OFFER + min(gold, 5 + max(0, int(gold * weights.habit_offer * random.random())))
    return OFFER + min(gold, 5) if missing == 2 else OFFER


def choose_king(state: RexState, random: Random, weights: Weights) -> int:
    """Vote for ourselves if we hold enough votes; otherwise take the best offer that still leaves us first.

    If there is none, vote for ourselves or abstain.
    """
    del random
    election, seat = _asked(state)
    is_candidate = seat in election.candidates
    if is_candidate and _votes_in_hand(state, election, seat) >= state.options.votes_to_win:
        return VOTE + seat
    buyers = [
        other
        for other in election.candidates
        if election.offers[other] and _may_sell(state, seat, other, weights.habit_fortune)
    ]
    if buyers:
        return VOTE + max(buyers, key=lambda other: election.offers[other])
    return VOTE + seat if is_candidate else ABSTAIN


def _may_sell(state: RexState, seller: int, buyer: int, fortune: float) -> bool:
    """Tell whether a vote may be sold to the buyer.

    One that crowns is sold if the seller is the richest then, and so has won too; for a fortune if more than two play,
    where there are other places than the first.
    """
    election = _asked(state)[0]
    paid = election.offers[buyer]
    if election.votes[buyer] + 1 < state.options.votes_to_win or (state.seats > 2 and paid >= fortune):
        return True
    own = wealth(state, seller) + paid
    return all(own >= wealth(state, other) - paid * (other == buyer) for other in range(state.seats))


def _votes_in_hand(state: RexState, election: Election, seat: int) -> int:
    """Count the votes cast for the seat, and those of its own electors still to come."""
    order = state.options.vote_order
    own = sum(state.titles[order[place]] == seat for place in range(election.elector, TITLE_COUNT))
    return election.votes[seat] + own


def _asked(state: RexState) -> tuple[Election, int]:
    assert state.election is not None
    assert state.decider is not None
    return state.election, state.decider


def choose_garrison(state: RexState, random: Random, weights: Weights) -> int:
    """Place one foot in a new region beside an enemy, while gold is left for more land."""
    del random, weights
    if state.gold[state.active] > 3 * state.options.region_price:
        border = frontier(state, state.active)
        for action in state.legal_actions():
            if action < PLACE + REGION_COUNT and border & BIT[action - PLACE]:
                return action
    return PLACE_DONE


def choose_place(state: RexState, random: Random, weights: Weights) -> int:
    """Place foot in the next region that needs it, or stop after the last."""
    del random
    sites = _sites(state) & _after(state.last)
    if state.last < REGION_COUNT and sites and state.gold[state.active] > weights.habit_reserve:
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


def choose_source(state: RexState, random: Random, weights: Weights) -> int:
    """Pick, in an attack, the next figures with a target worth it; in a muster nothing moves."""
    del random
    legal = state.legal_actions()
    if state.task == ACT_ATTACK:
        for action in legal:
            if action != MOVE_DONE and _target(state, action - MOVE_FROM, weights.habit_odds) != NOTHING:
                return action
    return MOVE_DONE if legal[-1] == MOVE_DONE else legal[0]


def choose_target(state: RexState, random: Random, weights: Weights) -> int:
    """Go to the target for which the source was picked; if there is none, stay in own land."""
    del random
    target = _target(state, state.source, weights.habit_odds)
    if target != NOTHING:
        return MOVE_TO + target
    legal = state.legal_actions()
    land = state.land[state.active]
    return next((action for action in legal if land & BIT[action - MOVE_TO]), legal[0])


def _target(state: RexState, figures: int, odds: float) -> int:
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
        if defence < least and _gathered(state, region, land & standing) >= odds * defence:
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


def choose_count(state: RexState, random: Random, weights: Weights) -> int:
    """Send one figure into an undefended region and all into a fight; divide the gold among placements."""
    del random
    highest = most_figures(state)
    if state.source != NOTHING:
        is_free = state.task == ACT_ATTACK and not BIT[state.target] & manned(state)
        return COUNT + (1 if is_free else highest)
    if state.task == ACT_ACQUIRE:
        return COUNT + 1
    left = (_sites(state) & _after(state.target)).bit_count() + 1
    share = int((state.gold[state.active] - weights.habit_reserve) // (left * state.options.cost[0]))
    return COUNT + max(1, min(highest, share))


def choose_fight(state: RexState, random: Random, weights: Weights) -> int:
    """Begin with the first fight of the list."""
    del random, weights
    return state.legal_actions()[0]


def choose_round(state: RexState, random: Random, weights: Weights) -> int:
    """Fight on while the attackers are no weaker; then retreat to the first region that is open."""
    del random, weights
    legal = state.legal_actions()
    region = state.target
    if len(legal) == 1 or _gathered(state, region, 0) >= _defence(state, region):
        return FIGHT_ON
    return next(action for action in legal if action >= RETREAT)


def choose(state: RexState, random: Random, weights: Weights) -> int:
    """Return a legal action for the seat that decides; the game is not over."""
    return _HABITS[state.phase](state, random, weights)


def _keep(state: RexState, random: Random, weights: Weights) -> int:
    """Keep as many regions as can be paid, and of these the ones that titles need."""
    del random, weights
    wanted = 0  # what titles not yet held need, and the cities with a church
    for title, (needed, groups) in enumerate(state.options.titles, start=3):
        if state.titles[title] != state.active:
            wanted |= needed
            for group in groups:
                wanted |= group
    for region in state.options.start_churches:
        wanted |= BIT[region]
    return max(state.legal_actions(), key=lambda action: _worth_of_cards(state, action - KEEP, wanted))


def _worth_of_cards(state: RexState, subset: int, wanted: int) -> int:
    kept = [region for index, region in enumerate(state.drawn) if subset >> index & 1]
    return sum(3 if wanted & BIT[region] else 2 for region in kept)


def _build(state: RexState, random: Random, weights: Weights) -> int:
    """Build a church of the diocese where the next one helps most, away from the enemy; else a castle."""
    del weights
    legal = state.legal_actions()
    churches = [action for action in legal if action < CASTLE]
    if churches:
        needs = [_need(state, diocese) + 0.2 * random.random() for diocese in range(DIOCESE_COUNT)]
        border = frontier(state, state.active)
        return max(churches, key=lambda action: _church_worth(action - CHURCH, needs, border))
    return BUILD_DONE if legal[-1] == BUILD_DONE else _castle(legal, frontier(state, state.active))


def _need(state: RexState, diocese: int) -> float:
    """Return how much one more church of the diocese helps: most where the chapter can be won soonest."""
    seat = state.active
    own = (state.churches[diocese] & state.land[seat]).bit_count()
    others = (state.churches[diocese] & state.owned).bit_count() - own
    if state.titles[diocese] == seat:
        return 1.0 if others >= own else 0.0
    return 2.0 - 0.4 * abs(others + 1 - own)


def _church_worth(church: int, needs: Sequence[float], border: int) -> float:
    diocese, region = church // REGION_COUNT, church % REGION_COUNT
    return needs[diocese] - (0.5 if border & BIT[region] else 0.0) - 0.001 * region


def _castle(castles: Sequence[int], border: int) -> int:
    return next((action for action in castles if border & BIT[action - CASTLE]), castles[0])


def _raze(state: RexState, random: Random, weights: Weights) -> int:
    del state, random, weights
    return KEEP_CASTLE


_HABITS: Final[tuple[Callable[[RexState, Random, Weights], int], ...]] = (
    *(choose_turn, _keep, choose_garrison, _build, choose_source, choose_target, choose_count, choose_place),
    *(_raze, choose_fight, choose_round, choose_stand, choose_bishop, choose_offer, choose_king),
)
"""One for each phase, in the order of their numbers."""
