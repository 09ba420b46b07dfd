"""BISHOP_VOTE: the chapter elects its bishop, in up to two ballots and by dice (6.1.3-6.1.7, K7)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import VOTE
from engine.games.rex_romanorum.position import BISHOP_VOTE, Election, Position
from engine.games.rex_romanorum.rules import flow


def begin_vote(position: Position, election: Election) -> None:
    """Without a candidate nothing changes, a sole one is elected at once (6.1.3); else the churches vote (6.1.4)."""
    if not election.candidates:
        flow.end_turn(position)
    elif len(election.candidates) == 1:
        elect(position, election, election.candidates[0])
    else:
        begin_ballot(position, election, election.candidates)


def begin_ballot(position: Position, election: Election, ballot: list[int]) -> None:
    """All churches vote on the candidates of `ballot`, their owners in the order in which they were asked (K1)."""
    election.ballot = ballot
    election.votes = [0] * position.seats
    election.at = election.cast = election.lowest = 0
    position.phase = BISHOP_VOTE
    position.decider = election.asked[0]


def legal(position: Position) -> Sequence[int]:
    """VOTE for a candidate of the ballot, not below the owner's last vote; nobody abstains (6.1.4)."""
    election = position.election
    assert election is not None
    return [VOTE + seat for seat in sorted(election.ballot) if seat >= election.lowest]


def is_legal(position: Position, action: int) -> bool:
    """Whether `action` votes for a candidate."""
    election = position.election
    assert election is not None
    return action - VOTE in election.ballot and action - VOTE >= election.lowest


def apply(position: Position, action: int) -> None:
    """Count the vote of one church; after the last one the ballot is decided."""
    election = position.election
    assert election is not None
    election.votes[action - VOTE] += 1
    election.lowest = action - VOTE
    election.cast += 1
    if election.cast < church_votes(position, election, position.decider):
        return
    election.cast = election.lowest = 0
    election.at += 1
    if election.at < len(election.asked):
        position.decider = election.asked[election.at]
    else:
        decide(position, election)


def church_votes(position: Position, election: Election, seat: int) -> int:
    """How many votes a seat has: its churches of the diocese."""
    return (position.churches[election.diocese] & position.land[seat]).bit_count()


def decide(position: Position, election: Election) -> None:
    """More than half elects; else a run-off if there were more than two candidates; else dice (6.1.5, 6.1.6)."""
    most = max(election.votes)
    if 2 * most > sum(election.votes):
        elect(position, election, election.votes.index(most))
    elif election.is_runoff or len(election.candidates) == 2:
        elect(position, election, roll_for(position, election.ballot))
    else:
        election.is_runoff = True
        begin_ballot(position, election, runoff(election.candidates, election.votes))


def runoff(candidates: list[int], votes: list[int]) -> list[int]:
    """The best, with all who tie for second place; if several tie for the first place, exactly those (6.1.5)."""
    best = max(votes)
    first = [seat for seat in candidates if votes[seat] == best]
    if len(first) > 1:
        return first
    second = max(votes[seat] for seat in candidates if votes[seat] < best)
    return [seat for seat in candidates if votes[seat] >= second]


def roll_for(position: Position, candidates: list[int]) -> int:
    """One die each, in the order of candidacy; those who tie for the highest roll again (6.1.6, K7)."""
    chance = position.source_of_chance()
    while len(candidates) > 1:
        dice = [chance.d6() for _ in candidates]
        position.revelations.append(("d6", dice))
        highest = max(dice)
        candidates = [seat for seat, die in zip(candidates, dice, strict=True) if die == highest]
    return candidates[0]


def elect(position: Position, election: Election, seat: int) -> None:
    """The card moves, and the turn is over (6.1.7)."""
    position.titles[election.diocese] = seat
    flow.end_turn(position)
