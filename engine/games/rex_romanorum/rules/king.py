"""OFFER and KING_VOTE: the electors vote for a king, and may be paid for it (6.2.3-6.2.5, K8)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import ABSTAIN, HIGHEST_COUNT, OFFER, VOTE
from engine.games.rex_romanorum.board import TITLE_COUNT
from engine.games.rex_romanorum.position import KING_VOTE, NOBODY, Election, Position
from engine.games.rex_romanorum.position import OFFER as OFFER_PHASE
from engine.games.rex_romanorum.rules import flow


def begin_vote(position: Position, election: Election) -> None:
    """Without a candidate nothing happens; else the electors vote in their order."""
    election.ballot = election.candidates
    if election.candidates:
        ask_elector(position, election)
    else:
        give_up(position)


def give_up(position: Position) -> None:
    """There is no king: play goes on, or the game ends after the last election (6.2.5, D5)."""
    if position.is_final:
        flow.end_game(position)
    else:
        flow.end_turn(position)


def ask_elector(position: Position, election: Election) -> None:
    """Ask the next elector whose title is held, after the offers to him; all are asked, also in vain (K8)."""
    order = position.options.vote_order
    while election.elector < TITLE_COUNT and position.titles[order[election.elector]] == NOBODY:
        election.elector += 1
    if election.elector == TITLE_COUNT:
        give_up(position)
        return
    election.offers = [0] * position.seats
    election.at = -1
    ask_next_offer(position, election)


def holder(position: Position, election: Election) -> int:
    """The seat that votes for the elector whose turn it is."""
    return position.titles[position.options.vote_order[election.elector]]


def ask_next_offer(position: Position, election: Election) -> None:
    """Ask the next candidate but the elector himself for an offer, in the order of candidacy; then the elector."""
    elector = holder(position, election)
    election.at += 1
    while election.at < len(election.candidates) and election.candidates[election.at] == elector:
        election.at += 1
    if election.at < len(election.candidates):
        position.phase = OFFER_PHASE
        position.decider = election.candidates[election.at]
    else:
        position.phase = KING_VOTE
        position.decider = elector


def most_offered(position: Position) -> int:
    """The greatest offer of the deciding candidate (K9)."""
    return min(HIGHEST_COUNT, position.gold[position.decider])


def legal_offers(position: Position) -> Sequence[int]:
    """OFFER from 0 to what he holds."""
    return range(OFFER, OFFER + 1 + most_offered(position))


def is_legal_offer(position: Position, action: int) -> bool:
    """Whether he holds as much."""
    return OFFER <= action <= OFFER + most_offered(position)


def apply_offer(position: Position, action: int) -> None:
    """Note the offer and ask on."""
    election = position.election
    assert election is not None
    election.offers[position.decider] = action - OFFER
    ask_next_offer(position, election)


def legal_votes(position: Position) -> Sequence[int]:
    """VOTE for a candidate, ABSTAIN."""
    election = position.election
    assert election is not None
    return [*(VOTE + seat for seat in sorted(election.candidates)), ABSTAIN]


def is_legal_vote(position: Position, action: int) -> bool:
    """Whether `action` votes for a candidate, or abstains."""
    election = position.election
    assert election is not None
    return action == ABSTAIN or action - VOTE in election.candidates


def apply_vote(position: Position, action: int) -> None:
    """Count the vote; the chosen candidate's offer is paid at once (6.2.4). Enough votes end the game."""
    election = position.election
    assert election is not None
    if action != ABSTAIN:
        chosen = action - VOTE
        position.gold[chosen] -= election.offers[chosen]
        position.gold[position.decider] += election.offers[chosen]
        election.votes[chosen] += 1
        if election.votes[chosen] == position.options.votes_to_win:
            flow.end_game(position, chosen)
            return
    election.elector += 1
    ask_elector(position, election)
