"""Which titles and votes each seat will have: those it holds, those it is on the way to, the election under way.

For the evaluation. A vote is worth 1; a seat that has `votes_to_win` and more is on its way to be king.
"""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.board import DIOCESE_COUNT, TITLE_COUNT
from engine.games.rex_romanorum.rules.bishop import church_votes
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


def vote_prospects(state: RexState) -> list[float]:
    """The votes that each seat will have in the next royal election, or has in this one."""
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
    """Whoever owns churches of a diocese may come to be its bishop."""
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
    """Whoever owns the main region of a title may come to own its partner."""
    for title, (needed, groups) in enumerate(state.options.titles, start=3):
        for seat, land in enumerate(state.land):
            if state.titles[title] != seat and land & needed:
                met = sum(1 for group in groups if group & land) + (land & needed).bit_count()
                votes[seat] += _HALF_A_TITLE * met / (needed.bit_count() + len(groups))


def expected_titles(state: RexState) -> list[float]:
    """What the bishop's election under way will give and take, in titles; all 0 without one."""
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
    """The chance of each seat to be elected: by churches, each owner for himself, and by votes already cast."""
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
    """More than half is certain; else the square of the votes."""
    total = sum(votes)
    if len(runners) == 1 or 2 * max(votes) > total:
        return [float(seat in runners and votes[seat] == max(votes)) for seat in range(len(votes))]
    squares = sum(votes[runner] ** 2 for runner in runners) or 1.0
    return [votes[seat] ** 2 / squares if seat in runners else 0.0 for seat in range(len(votes))]


def _royal_votes(state: RexState, election: Election) -> list[float]:
    """Votes cast, those of electors to come who stand themselves, and a part of the others'."""
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
    """The vote of an elector who does not stand: the offers to him weigh, as far as they are known."""
    are_known = state.phase in (OFFER, KING_VOTE) and place == election.elector
    weights = {runner: 1 + (election.offers[runner] if are_known else 0) for runner in runners}
    for runner, weight in weights.items():
        votes[runner] += _BOUGHT * weight / sum(weights.values())


def expected_payments(state: RexState) -> list[float]:
    """What the open offers will bring and cost each seat, in gold."""
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
