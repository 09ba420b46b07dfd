"""Which titles and votes each seat will have: those it holds, those it is on the way to, the election under way.

For the evaluation. A vote is worth 1; a seat that has `votes_to_win` and more is on its way to be king.
"""

from __future__ import annotations

from math import exp
from typing import Final

from engine.games.rex_romanorum.board import DIOCESE_COUNT, TITLE_COUNT
from engine.games.rex_romanorum.rules.elections import church_votes
from engine.games.rex_romanorum.state import (
    BISHOP_VOTE,
    KING_VOTE,
    NOBODY,
    NOTHING,
    OFFER,
    STAND,
    Election,
    RexState,
)

_CHAPTER: Final = 0.35
"""What all churches of a diocese are worth, in votes, while somebody else is bishop."""
_HALF_A_TITLE: Final = 0.3
"""What a region that a title needs is worth, in votes, without its partner."""
_BOUGHT: Final = 0.5
"""How likely an elector who does not stand himself votes at all."""
_CERTAIN: Final = 1.5
"""Votes more for whoever has enough in his own hands in a royal election under way."""
_STEEPNESS: Final = 2.0
_MISSING: Final = 0.5
"""A seat that holds this much less than the votes it needs is king half of the time."""
_MOST_LIKELY: Final = 0.97
"""The greatest chance of being king that a look can tell."""


def sigmoid(x: float) -> float:
    """Return 1 / (1 + e^-x), within what floats can hold."""
    return 1 / (1 + exp(-max(-40.0, min(40.0, x))))


def king_chances(state: RexState) -> list[float]:
    """Return the chance of each seat to be king in the end; together they are at most `_MOST_LIKELY`."""
    needed = state.options.votes_to_win
    chances = [_MOST_LIKELY * sigmoid(_STEEPNESS * (votes - needed + _MISSING)) for votes in vote_prospects(state)]
    most = sum(chances)
    return [chance * _MOST_LIKELY / most for chance in chances] if most > _MOST_LIKELY else chances


def vote_prospects(state: RexState) -> list[float]:
    """Return the votes that each seat will have in the next royal election, or has in this one."""
    election = state.election
    if election is not None and election.diocese == NOTHING:
        return _royal_votes(state, election)
    votes = [float(state.titles.count(seat)) for seat in range(state.seats)]
    for diocese in range(DIOCESE_COUNT):
        if election is None or election.diocese != diocese:
            _add_chapter(state, votes, diocese)
    if election is not None:
        for seat, change in enumerate(expected_titles(state)):
            votes[seat] += change
    _add_land(state, votes)
    return votes


def _add_chapter(state: RexState, votes: list[float], diocese: int) -> None:
    """Add what the churches of a diocese promise: their owners may come to be its bishop."""
    churches = state.churches[diocese]
    total = (churches & state.owned).bit_count()
    bishop = state.titles[diocese]
    for seat, land in enumerate(state.land):
        share = (churches & land).bit_count() / total if total else 0.0
        if seat != bishop:
            votes[seat] += _CHAPTER * share
            if bishop != NOBODY:
                votes[bishop] -= _CHAPTER * share


def _add_land(state: RexState, votes: list[float]) -> None:
    """Add what the main region of a title promises: its owner may come to own the partner."""
    for title, (needed, groups) in enumerate(state.options.titles, start=3):
        for seat, land in enumerate(state.land):
            if state.titles[title] != seat and land & needed:
                met = sum(1 for group in groups if group & land) + (land & needed).bit_count()
                votes[seat] += _HALF_A_TITLE * met / (needed.bit_count() + len(groups))


def expected_titles(state: RexState) -> list[float]:
    """Return what the bishop's election under way will give and take, in titles; 0 for all if there is none."""
    election = state.election
    changes = [0.0] * state.seats
    if election is None or election.diocese == NOTHING:
        return changes
    chances = _bishop_chances(state, election)
    bishop = state.titles[election.diocese]
    for seat, chance in enumerate(chances):
        changes[seat] += chance
        if bishop != NOBODY:
            changes[bishop] -= chance
    return changes


def _bishop_chances(state: RexState, election: Election) -> list[float]:
    """Return the chance of each seat to be elected, from the votes cast and those to come.

    An owner who stands is taken to vote for himself, another for all alike.
    """
    runners = list(election.candidates)
    votes = [0.0] * state.seats
    if state.phase == STAND:
        runners += election.asked[election.at :]
    elif state.phase == BISHOP_VOTE:
        runners = list(election.ballot)
        votes = [float(count) for count in election.votes]
    if not runners:
        return [0.0] * state.seats
    for place, seat in enumerate(election.asked):
        left = church_votes(state, election, seat)
        if state.phase == BISHOP_VOTE:
            left = 0 if place < election.at else left - (election.cast if place == election.at else 0)
        for runner in [seat] if seat in runners else runners:
            votes[runner] += left / (1 if seat in runners else len(runners))
    return _chances_by_votes(votes, runners)


def _chances_by_votes(votes: list[float], runners: list[int]) -> list[float]:
    """Return the chances that votes give: more than half is certain, otherwise their squares count."""
    total = sum(votes)
    if len(runners) == 1 or 2 * max(votes) > total:
        return [float(seat in runners and votes[seat] == max(votes)) for seat in range(len(votes))]
    squares = sum(votes[runner] ** 2 for runner in runners) or 1.0
    return [votes[seat] ** 2 / squares if seat in runners else 0.0 for seat in range(len(votes))]


def _royal_votes(state: RexState, election: Election) -> list[float]:
    """Return the votes cast, those of electors to come who stand themselves, and a part of the others."""
    runners = [*election.candidates, *(election.asked[election.at :] if state.phase == STAND else [])]
    votes = [float(count) for count in election.votes]
    open_votes = [0.0] * state.seats
    for place in range(election.elector, TITLE_COUNT):
        holder = state.titles[state.options.vote_order[place]]
        if holder in runners:
            votes[holder] += 1
        elif holder != NOBODY and runners:
            _share_vote(state, election, place, runners, open_votes)
    needed = state.options.votes_to_win
    return [
        sure + maybe + (_CERTAIN if sure >= needed else 0) if seat in runners else 0.0
        for seat, (sure, maybe) in enumerate(zip(votes, open_votes, strict=True))
    ]


def _share_vote(state: RexState, election: Election, place: int, runners: list[int], votes: list[float]) -> None:
    """Divide the vote of an elector who does not stand, as far as offers to him are known by what is offered."""
    are_known = state.phase in (OFFER, KING_VOTE) and place == election.elector
    weights = {runner: 1 + (election.offers[runner] if are_known else 0) for runner in runners}
    for runner, weight in weights.items():
        votes[runner] += _BOUGHT * weight / sum(weights.values())


def expected_payments(state: RexState) -> list[float]:
    """Return what the open offers will bring and cost each seat, in gold."""
    election = state.election
    changes = [0.0] * state.seats
    if election is None or state.phase not in (OFFER, KING_VOTE):
        return changes
    elector = state.titles[state.options.vote_order[election.elector]]
    for seat, offer in enumerate(election.offers):
        expected = _BOUGHT * offer / max(1, len(election.candidates) - 1)
        changes[seat] -= expected
        changes[elector] += expected
    return changes
