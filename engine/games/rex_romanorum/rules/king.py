"""OFFER and KING_VOTE: the electors vote for a king, and may be paid for it (6.2.3-6.2.5, K8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import ABSTAIN, HIGHEST_COUNT, OFFER, VOTE
from engine.games.rex_romanorum.board import TITLE_COUNT
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.state import KING_VOTE, NOBODY, Election, RexState, election_of
from engine.games.rex_romanorum.state import OFFER as OFFER_PHASE
from engine.kit.reading import need

_OFFERS: Final = tuple(tuple(range(OFFER, OFFER + 1 + most)) for most in range(HIGHEST_COUNT + 1))
"""By the greatest offer that can be made."""


def begin_vote(state: RexState, election: Election) -> None:
    """Let the electors vote in their order; without a candidate nothing happens."""
    election.ballot = election.candidates
    if election.candidates:
        ask_elector(state, election)
    else:
        give_up(state)


def give_up(state: RexState) -> None:
    """Go on without a king, or end the game after the last election (6.2.5, D5)."""
    if state.is_final:
        flow.end_game(state)
    else:
        flow.end_turn(state)


def ask_elector(state: RexState, election: Election) -> None:
    """Ask the next elector whose title is held, after the offers to him; all are asked, also in vain (K8)."""
    order = state.options.vote_order
    while election.elector < TITLE_COUNT and state.titles[order[election.elector]] == NOBODY:
        election.elector += 1
    if election.elector == TITLE_COUNT:
        give_up(state)
        return
    election.offers = [0] * state.seats
    election.at = -1
    ask_next_offer(state, election)


def holder(state: RexState, election: Election) -> int:
    """Return the seat that votes for the elector whose turn it is."""
    return state.titles[state.options.vote_order[election.elector]]


def ask_next_offer(state: RexState, election: Election) -> None:
    """Ask the next candidate for an offer, in the order of candidacy, but not the elector; after the last, ask him."""
    elector = holder(state, election)
    election.at += 1
    while election.at < len(election.candidates) and election.candidates[election.at] == elector:
        election.at += 1
    if election.at < len(election.candidates):
        state.phase = OFFER_PHASE
        state.decider = election.candidates[election.at]
    else:
        state.phase = KING_VOTE
        state.decider = elector


def most_offered(state: RexState) -> int:
    """Return the greatest offer that the deciding candidate can make (K9)."""
    election = state.election
    assert election is not None
    return min(HIGHEST_COUNT, state.gold[election.candidates[election.at]])


def legal_offer(state: RexState) -> Sequence[int]:
    """Return OFFER from 0 to what the candidate holds."""
    return _OFFERS[most_offered(state)]


def is_legal_offer(state: RexState, action: int) -> bool:
    """Tell whether the candidate holds as much as the action offers."""
    return OFFER <= action <= OFFER + most_offered(state)


def apply_offer(state: RexState, action: int) -> None:
    """Note the offer and ask the next candidate, or the elector."""
    election = state.election
    assert election is not None
    election.offers[election.candidates[election.at]] = action - OFFER
    ask_next_offer(state, election)


def legal_king_vote(state: RexState) -> Sequence[int]:
    """Return VOTE for each candidate, and ABSTAIN."""
    election = state.election
    assert election is not None
    return [*(VOTE + seat for seat in sorted(election.candidates)), ABSTAIN]


def is_legal_king_vote(state: RexState, action: int) -> bool:
    """Tell whether the action votes for a candidate, or abstains."""
    election = state.election
    assert election is not None
    return action == ABSTAIN or action - VOTE in election.candidates


def apply_king_vote(state: RexState, action: int) -> None:
    """Count the vote; the chosen candidate's offer is paid at once (6.2.4). Enough votes end the game."""
    election = state.election
    assert election is not None
    if action != ABSTAIN:
        chosen = action - VOTE
        state.gold[chosen] -= election.offers[chosen]
        state.gold[holder(state, election)] += election.offers[chosen]
        election.votes[chosen] += 1
        if election.votes[chosen] == state.options.votes_to_win:
            flow.end_game(state, chosen)
            return
    election.elector += 1
    ask_elector(state, election)


def offering_seat(state: RexState) -> int:
    """Return the candidate who makes an offer. Raises PositionError if there is none."""
    election = election_of(state)
    need(election.at < len(election.candidates), "election.at: nobody is asked there")
    return election.candidates[election.at]


def voting_seat(state: RexState) -> int:
    """Return the seat that votes for the elector. Raises PositionError if there is none."""
    seat = holder(state, election_of(state))
    need(seat != NOBODY, "election.elector: nobody holds that title")
    return seat


def check_king_vote(state: RexState) -> None:
    """Raise PositionError unless offers and votes are those that can have been made."""
    election = election_of(state)
    need(election.candidates, "election.candidates: expected a candidate")
    need(list(election.candidates) == list(election.ballot), "election.ballot: expected the candidates")
    elector = voting_seat(state)
    if state.phase == OFFER_PHASE:
        need(offering_seat(state) != elector, "election.at: the elector makes himself no offer")
    affordable = all(offer <= gold for offer, gold in zip(election.offers, state.gold, strict=True))
    need(affordable and not election.offers[elector], "election.offers: more than the candidate holds")
    fewest = state.options.votes_to_win
    need(max(election.votes) < fewest, f"election.votes: {fewest} make a king and end the game")
