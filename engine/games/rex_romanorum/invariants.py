"""What holds in every position that play can come to (section 9.4). Counts everything once more, from the lists."""

from __future__ import annotations

from engine.core import InvariantError
from engine.games.rex_romanorum.actions import ACT_ATTACK
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, TITLE_COUNT
from engine.games.rex_romanorum.scoring import production, wealth
from engine.games.rex_romanorum.state import NOBODY, RexState


def check(state: RexState) -> None:
    """Raise InvariantError unless the position keeps every invariant."""
    _hold(all(gold >= 0 for gold in state.gold), "gold is never negative")
    _check_land(state)
    _check_figures(state)
    _check_churches(state)
    _check_titles(state)
    _check_cards(state)
    _hold(1 <= state.round <= state.options.round_limit, "a game ends within its rounds")
    for seat in range(state.seats):
        _check_sums(state, seat)


def _hold(fact: bool, what: str) -> None:
    if not fact:
        raise InvariantError(what)


def _check_land(state: RexState) -> None:
    for region, owner in enumerate(state.owner):
        holders = [seat for seat, land in enumerate(state.land) if land & BIT[region]]
        _hold(holders == ([] if owner == NOBODY else [owner]), "a region has at most one owner")
        _hold(bool(state.owned & BIT[region]) == (owner != NOBODY), "owned regions are those with an owner")


def _check_figures(state: RexState) -> None:
    for figures, number in enumerate(state.army):
        kind, region = divmod(figures, REGION_COUNT)
        _hold(number >= 0, "no army is negative")
        _hold(bool(state.standing[kind] & BIT[region]) == (number > 0), "standing figures are those of the army")
        _hold(number == 0 or state.owner[region] != NOBODY, "figures stand only in owned regions")
    for figures, number in state.arrived.items():
        owner = state.owner[figures % REGION_COUNT]
        _hold(number > 0 and owner != NOBODY, "figures move only into owned regions")
        _hold(owner == state.active or state.task == ACT_ATTACK, "figures stand in foreign land only in an attack")


def _check_churches(state: RexState) -> None:
    most = state.options.churches_per_diocese
    _hold(all(mask.bit_count() <= most for mask in state.churches), "no diocese has more churches than it may")
    for one in range(3):
        for other in range(one):
            _hold(not state.churches[one] & state.churches[other], "a region has at most one church")
    _hold(not state.castles & ~state.owned, "castles stand in owned regions")


def _check_titles(state: RexState) -> None:
    _hold(len(state.titles) == TITLE_COUNT, "there are seven titles")
    _hold(all(NOBODY <= seat < state.seats for seat in state.titles), "a title is held by a seat or by nobody")
    kurpfalz = state.options.titles[0][0].bit_length() - 1
    _hold(state.titles[3] == state.owner[kurpfalz], "who owns Kurpfalz is its elector")


def _check_cards(state: RexState) -> None:
    owned = [region for region in range(REGION_COUNT) if state.owner[region] != NOBODY]
    cards = sorted([*state.pile, *state.discards, *state.drawn, *owned])
    _hold(cards == list(state.options.deck), "every card is in the pile, discarded, drawn or owned, once")


def _check_sums(state: RexState, seat: int) -> None:
    """Production and wealth, counted once more from the lists."""
    regions = [region for region in range(REGION_COUNT) if state.owner[region] == seat]
    churches = sum(bool(mask & BIT[region]) for mask in state.churches for region in regions)
    castles = sum(bool(state.castles & BIT[region]) for region in regions)
    titles = state.titles.count(seat)
    figures = [sum(state.army[kind * REGION_COUNT + region] for region in regions) for kind in range(3)]
    if seat == state.active:
        for index, number in state.arrived.items():
            figures[index // REGION_COUNT] += number
    per_region, per_church, per_title, _ = state.options.harvest
    yielded = per_region * len(regions) + per_church * churches + per_title * titles
    _hold(production(state, seat) == yielded, "production is counted from the board")
    things = (state.gold[seat], len(regions), churches, castles, *figures, titles)
    counted = sum(number * value for number, value in zip(things, state.options.wealth, strict=True))
    _hold(wealth(state, seat) == counted, "wealth is a function of the position")
