"""Elections: candidates (STAND), a bishop (BISHOP_VOTE) and a king (OFFER, KING_VOTE); section 6, K7, K8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import (
    ABSTAIN,
    ACT_BISHOP,
    ACT_KING,
    ACTIONS,
    DECLINE,
    HIGHEST_COUNT,
    OFFER,
    STAND,
    VOTE,
)
from engine.games.rex_romanorum.board import TITLE_COUNT
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.state import BISHOP_VOTE, KING_VOTE, NOBODY, NOTHING, Election, RexState, election_of
from engine.games.rex_romanorum.state import OFFER as OFFER_PHASE
from engine.kit.field_codecs import need

_ANSWERS: Final[tuple[int, ...]] = (STAND, DECLINE)
_OFFERS: Final = tuple(tuple(range(OFFER, OFFER + 1 + most)) for most in range(HIGHEST_COUNT + 1))
"""By the greatest offer that can be made."""


def legal_stand(_state: RexState) -> Sequence[int]:
    """Return STAND and DECLINE."""
    return _ANSWERS


def is_legal_stand(_state: RexState, action: int) -> bool:
    """Tell whether the action answers the question."""
    return action in (STAND, DECLINE)


def apply_stand(state: RexState, action: int) -> None:
    """Note the answer and ask the next one; after the last the voting begins. There is no withdrawal."""
    election = state.election
    assert election is not None
    if action == STAND:
        election.candidates.append(election.asked[election.at])
    election.at += 1
    if election.at < len(election.asked):
        state.decider = election.asked[election.at]
    elif election.diocese == NOTHING:
        election.ballot = election.candidates
        if election.candidates:
            ask_elector(state, election)
        else:
            give_up(state)
    elif not election.candidates:  # nothing changes, and a sole candidate is elected at once (6.1.3)
        flow.end_turn(state)
    elif len(election.candidates) == 1:
        elect(state, election, election.candidates[0])
    else:
        begin_ballot(state, election, election.candidates)


def check_stand(state: RexState) -> None:
    """Raise PositionError unless the candidates are among those who have answered."""
    election = election_of(state)
    check_candidates(state, election, election.asked[: election.at])


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


def begin_ballot(state: RexState, election: Election, ballot: Sequence[int]) -> None:
    """Let all churches vote on the candidates of `ballot`, their owners in the order in which they were asked (K1)."""
    election.ballot = ballot
    election.votes = [0] * state.seats
    election.at = election.cast = election.lowest = 0
    state.phase = BISHOP_VOTE
    state.decider = election.asked[0]


def legal_bishop_vote(state: RexState) -> Sequence[int]:
    """Return VOTE for each candidate of the ballot, not below the owner's last vote; nobody abstains (6.1.4)."""
    election = state.election
    assert election is not None
    return [VOTE + seat for seat in sorted(election.ballot) if seat >= election.lowest]


def is_legal_bishop_vote(state: RexState, action: int) -> bool:
    """Tell whether the action votes for a candidate of the ballot."""
    election = state.election
    assert election is not None
    return action - VOTE in election.ballot and action - VOTE >= election.lowest


def apply_bishop_vote(state: RexState, action: int) -> None:
    """Count the vote of one church; after the last one the ballot is decided."""
    election = state.election
    assert election is not None
    election.votes[action - VOTE] += 1
    election.lowest = action - VOTE
    election.cast += 1
    if election.cast < church_votes(state, election, election.asked[election.at]):
        return
    election.cast = election.lowest = 0
    election.at += 1
    if election.at < len(election.asked):
        state.decider = election.asked[election.at]
    else:
        decide(state, election)


def church_votes(state: RexState, election: Election, seat: int) -> int:
    """Return how many votes a seat has, one for each of its churches of the diocese."""
    return (state.churches[election.diocese] & state.land[seat]).bit_count()


def decide(state: RexState, election: Election) -> None:
    """Elect by more than half of the votes, or hold a run-off among more than two, or roll dice (6.1.5, 6.1.6)."""
    most = max(election.votes)
    if 2 * most > sum(election.votes):
        elect(state, election, election.votes.index(most))
    elif election.is_runoff or len(election.candidates) == 2:
        elect(state, election, roll_for(state, election.ballot))
    else:
        election.is_runoff = True
        begin_ballot(state, election, runoff(election.candidates, election.votes))


def runoff(candidates: Sequence[int], votes: list[int]) -> list[int]:
    """Return the best and all who tie for second place; if several tie for the first place, exactly those (6.1.5)."""
    best = max(votes)
    first = [seat for seat in candidates if votes[seat] == best]
    if len(first) > 1:
        return first
    second = max(votes[seat] for seat in candidates if votes[seat] < best)
    return [seat for seat in candidates if votes[seat] >= second]


def roll_for(state: RexState, candidates: Sequence[int]) -> int:
    """Roll a die for each, in the order of candidacy; those who tie for the highest roll again (6.1.6, K7)."""
    chance = state.source_of_chance()
    while len(candidates) > 1:
        dice = [chance.d6() for _ in candidates]
        state.revelations = (*state.revelations, ("d6", dice))
        highest = max(dice)
        candidates = [seat for seat, die in zip(candidates, dice, strict=True) if die == highest]
    return candidates[0]


def elect(state: RexState, election: Election, seat: int) -> None:
    """Give the diocese's title to the seat, and end the turn (6.1.7)."""
    state.titles[election.diocese] = seat
    flow.end_turn(state)


def asked_seat(state: RexState) -> int:
    """Return the seat that is asked to stand, or to vote for a bishop. Raises PositionError if there is none."""
    election = election_of(state)
    need(election.at < len(election.asked), "election.at: nobody is asked there")
    return election.asked[election.at]


def check_candidates(state: RexState, election: Election, answered: Sequence[int]) -> None:
    """Raise PositionError unless the election is that of the action, and only who has `answered` is a candidate."""
    expected = NOTHING if state.task == ACT_KING else state.task - ACT_BISHOP
    need(election.diocese == expected, f"election.diocese: not that of {ACTIONS.names[state.task]}")
    need(set(election.candidates) <= set(answered), "election.candidates: somebody stands who was not asked")
    if state.task != ACT_KING:
        voting = all(church_votes(state, election, seat) for seat in election.asked)
        need(voting, "election.asked: somebody owns no church of the diocese")


def check_bishop_vote(state: RexState) -> None:
    """Raise PositionError unless the votes of the ballot are those that can have been cast."""
    election = election_of(state)
    check_candidates(state, election, election.asked)
    need(len(election.ballot) > 1, "election.ballot: expected two candidates or more")
    need(set(election.ballot) <= set(election.candidates), "election.ballot: somebody is no candidate")
    seat = asked_seat(state)
    need(election.cast < church_votes(state, election, seat), f"election.cast: seat {seat} has no vote left")
    earlier = sum(church_votes(state, election, voter) for voter in election.asked[: election.at])
    need(sum(election.votes) == earlier + election.cast, "election.votes: not as many as were cast")
    others = [votes for voted, votes in enumerate(election.votes) if voted not in election.ballot]
    need(not any(others), "election.votes: somebody has votes who is not on the ballot")
