"""What statistics of play count: see `measures`. It looks at a position and the action about to be applied."""

from __future__ import annotations

from collections.abc import Mapping
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
    KEEP,
    OFFER,
    VOTE,
)
from engine.games.rex_romanorum.actions import COUNT as COUNT_BASE
from engine.games.rex_romanorum.board import DIOCESE_COUNT
from engine.games.rex_romanorum.state import (
    BUILD,
    COUNT,
    FIGHT,
    KING_VOTE,
    NOTHING,
    TURN,
    RexState,
)
from engine.games.rex_romanorum.state import KEEP as KEEP_PHASE
from engine.games.rex_romanorum.state import OFFER as OFFER_PHASE

_TURNS: Final = {
    ACT_ACQUIRE: "turns: acquire",
    ACT_HARVEST: "turns: harvest",
    ACT_BUILD: "turns: build",
    ACT_MUSTER: "turns: muster",
    ACT_ATTACK: "turns: attack",
    **{ACT_BISHOP + diocese: "turns: bishop's election" for diocese in range(DIOCESE_COUNT)},
    ACT_KING: "turns: royal election",
}


def measures(state: RexState, action: int) -> Mapping[str, float]:
    """The things that happen by `action`, with their number."""
    phase = state.phase
    if phase == TURN:
        return {_TURNS[action]: 1}
    if phase == KEEP_PHASE:
        return {"regions bought": (action - KEEP).bit_count()}
    if phase == BUILD:
        return {} if action == BUILD_DONE else {"castles" if action >= CASTLE else "churches": 1}
    if phase == COUNT and state.source == NOTHING:
        return {"figures bought": action - COUNT_BASE}
    if phase == FIGHT:
        return {"battles": 1}
    if phase == OFFER_PHASE and action > OFFER:
        return {"bribes offered": 1, "gold offered": action - OFFER}
    if phase == KING_VOTE and action != ABSTAIN:
        return _vote(state, action - VOTE)
    return {}


def _vote(state: RexState, candidate: int) -> Mapping[str, float]:
    """A bribe taken, a king made."""
    election = state.election
    assert election is not None
    found: dict[str, float] = {}
    if election.offers[candidate]:
        found = {"bribes taken": 1, "gold taken": election.offers[candidate]}
    if election.votes[candidate] + 1 == state.options.votes_to_win:
        found["kings"] = 1
    return found
