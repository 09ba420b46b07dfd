"""What tests and benchmarks ask of Rex Romanorum: its variants, its invariants, and what its play consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.abilities import Checks
from engine.core import InvariantError
from engine.games.rex_romanorum import actions as ids
from engine.games.rex_romanorum import state as at
from engine.games.rex_romanorum.board import BIT, REGION_COUNT
from engine.games.rex_romanorum.scoring import production, wealth
from engine.games.rex_romanorum.state import NOBODY, NOTHING, POSITION, RexState


def check_invariants(state: RexState) -> None:
    """Raise InvariantError unless the position keeps every invariant (section 9.4); the sums are counted once more."""
    POSITION.check_invariants(state)
    _hold(not state.castles & ~state.owned, "castles stand in owned regions")
    for figures, number in state.arrived.items():
        owner = state.owner[figures % REGION_COUNT]
        _hold(number > 0 and owner != NOBODY, "figures move only into owned regions")
        _hold(owner == state.active or state.task == ids.ACT_ATTACK, "figures stand in foreign land only in an attack")
    for seat in range(state.seats):
        regions = [region for region in range(REGION_COUNT) if state.owner[region] == seat]
        churches = sum(bool(mask & BIT[region]) for mask in state.churches for region in regions)
        castles = sum(bool(state.castles & BIT[region]) for region in regions)
        titles = state.titles.count(seat)
        armies = [sum(state.army[kind * REGION_COUNT + region] for region in regions) for kind in range(3)]
        if seat == state.active:
            for index, number in state.arrived.items():
                armies[index // REGION_COUNT] += number
        per_region, per_church, per_title, _ = state.options.harvest
        yielded = per_region * len(regions) + per_church * churches + per_title * titles
        _hold(production(state, seat) == yielded, "production is counted from the board")
        things = (state.gold[seat], len(regions), churches, castles, *armies, titles)
        counted = sum(number * value for number, value in zip(things, state.options.wealth, strict=True))
        _hold(wealth(state, seat) == counted, "wealth is a function of the position")


def _hold(fact: bool, what: str) -> None:
    if not fact:
        raise InvariantError(what)


_TURNS: Final = {
    ids.ACT_ACQUIRE: "turns: acquire",
    ids.ACT_HARVEST: "turns: harvest",
    ids.ACT_BUILD: "turns: build",
    ids.ACT_MUSTER: "turns: muster",
    ids.ACT_ATTACK: "turns: attack",
    **{ids.ACT_BISHOP + diocese: "turns: bishop's election" for diocese in range(ids.ACT_KING - ids.ACT_BISHOP)},
    ids.ACT_KING: "turns: royal election",
}


def measures(state: RexState, action: int) -> Mapping[str, float]:
    """Return what happens by the action, with the number of times."""
    phase = state.phase
    if phase == at.TURN:
        return {_TURNS[action]: 1}
    if phase == at.KEEP:
        return {"regions bought": (action - ids.KEEP).bit_count()}
    if phase == at.BUILD:
        return {} if action == ids.BUILD_DONE else {"castles" if action >= ids.CASTLE else "churches": 1}
    if phase == at.COUNT and state.source == NOTHING:
        return {"figures bought": action - ids.COUNT}
    if phase == at.FIGHT:
        return {"battles": 1}
    if phase == at.OFFER and action > ids.OFFER:
        return {"bribes offered": 1, "gold offered": action - ids.OFFER}
    if phase == at.KING_VOTE and action != ids.ABSTAIN:
        candidate = action - ids.VOTE
        election = state.election
        assert election is not None
        found: dict[str, float] = {}
        if election.offers[candidate]:
            found = {"bribes taken": 1, "gold taken": election.offers[candidate]}
        if election.votes[candidate] + 1 == state.options.votes_to_win:
            found["kings"] = 1
        return found
    return {}


CHECKS: Final = Checks(variants=({}, {"variant": "short"}), check_invariants=check_invariants, measures=measures)
"""The variants are both decks (A9)."""
