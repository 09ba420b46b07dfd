"""BISHOP_VOTE: the chapter elects its bishop, in up to two ballots and by dice (6.1.3-6.1.7, K7)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import ACT_BISHOP, ACT_KING, ACTIONS, VOTE
from engine.games.rex_romanorum.rules import flow
from engine.games.rex_romanorum.state import BISHOP_VOTE, NOTHING, Election, RexState, election_of
from engine.kit.reading import need


def begin_vote(state: RexState, election: Election) -> None:
    """Let the churches vote (6.1.4); a sole candidate is elected at once, and without one nothing changes (6.1.3)."""
    if not election.candidates:
        flow.end_turn(state)
    elif len(election.candidates) == 1:
        elect(state, election, election.candidates[0])
    else:
        begin_ballot(state, election, election.candidates)


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
