"""How a sensible player stands, votes, bribes and is bribed. A part of `habits`."""

from __future__ import annotations

from random import Random
from typing import Final

from engine.games.rex_romanorum.actions import ABSTAIN, DECLINE, OFFER, STAND, VOTE
from engine.games.rex_romanorum.board import TITLE_COUNT
from engine.games.rex_romanorum.rules.elections import most_offered
from engine.games.rex_romanorum.scoring import wealth
from engine.games.rex_romanorum.state import NOTHING, Election, RexState

_CANDIDATES_GOLD: Final = 20
"""With this much gold a seat without titles stands: it may buy votes."""
_FORTUNE: Final = 40
"""For this much a vote that crowns is for sale where more than two play: there are other places than the first."""


def choose_stand(state: RexState, random: Random) -> int:
    """Stand for bishop always; for king with a vote of one's own, or with gold for the votes of others."""
    del random
    election, seat = _asked(state)
    if election.diocese != NOTHING or state.titles.count(seat) or state.gold[seat] >= _CANDIDATES_GOLD:
        return STAND
    return DECLINE


def choose_bishop(state: RexState, random: Random) -> int:
    """Vote for ourselves if we stand; otherwise for the candidate with the fewest titles."""
    del random
    legal = state.legal_actions()
    own = VOTE + _asked(state)[1]
    if own in legal:
        return own
    return min(legal, key=lambda action: state.titles.count(action - VOTE))


def choose_offer(state: RexState, random: Random) -> int:
    """Offer much for the vote that crowns us, a little for the one before it, and nothing otherwise."""
    election, seat = _asked(state)
    missing = state.options.votes_to_win - _votes_in_hand(state, election, seat)
    gold = most_offered(state)
    if missing == 1:
        return OFFER + min(gold, 5 + int(gold * 0.5 * random.random()))
    return OFFER + min(gold, 5) if missing == 2 else OFFER


def choose_king(state: RexState, random: Random) -> int:
    """Vote for ourselves if we hold enough votes; otherwise take the best offer that still leaves us first.

    If there is none, vote for ourselves or abstain.
    """
    del random
    election, seat = _asked(state)
    is_candidate = seat in election.candidates
    if is_candidate and _votes_in_hand(state, election, seat) >= state.options.votes_to_win:
        return VOTE + seat
    buyers = [other for other in election.candidates if election.offers[other] and _may_sell(state, seat, other)]
    if buyers:
        return VOTE + max(buyers, key=lambda other: election.offers[other])
    return VOTE + seat if is_candidate else ABSTAIN


def _may_sell(state: RexState, seller: int, buyer: int) -> bool:
    """Tell whether a vote may be sold to the buyer.

    One that crowns is sold if the seller is the richest then, and so has won too; for a fortune if more than two play.
    """
    election = _asked(state)[0]
    paid = election.offers[buyer]
    if election.votes[buyer] + 1 < state.options.votes_to_win or (state.seats > 2 and paid >= _FORTUNE):
        return True
    own = wealth(state, seller) + paid
    return all(own >= wealth(state, other) - paid * (other == buyer) for other in range(state.seats))


def _votes_in_hand(state: RexState, election: Election, seat: int) -> int:
    """Count the votes cast for the seat, and those of its own electors still to come."""
    order = state.options.vote_order
    own = sum(state.titles[order[place]] == seat for place in range(election.elector, TITLE_COUNT))
    return election.votes[seat] + own


def _asked(state: RexState) -> tuple[Election, int]:
    """Return the election and the seat that decides in it."""
    assert state.election is not None
    assert state.decider is not None
    return state.election, state.decider
