"""Which titles and votes each seat will have: those it holds, those it is on the way to, the election under way.

For the evaluation. A vote is worth 1; a seat that has `votes_to_win` and more is on its way to be king.
"""

from __future__ import annotations

from typing import Final

from engine.games.rex_romanorum.board import DIOCESE_COUNT, TITLE_COUNT
from engine.games.rex_romanorum.position import (
    BISHOP_VOTE,
    KING_VOTE,
    NOBODY,
    NOTHING,
    OFFER,
    STAND,
    Election,
    Position,
)
from engine.games.rex_romanorum.rules.bishop import church_votes

_CHAPTER: Final = 0.35
"""What all churches of a diocese are worth, in votes, while somebody else is bishop."""
_HALF_A_TITLE: Final = 0.3
"""What a region that a title needs is worth, in votes, without its partner."""
_BOUGHT: Final = 0.5
"""How likely an elector who does not stand himself votes at all."""
_CERTAIN: Final = 1.5
"""Votes more for whoever has enough in his own hands in a royal election under way."""


def vote_prospects(position: Position) -> list[float]:
    """The votes that each seat will have in the next royal election, or has in this one."""
    election = position.election
    if election is not None and election.diocese == NOTHING:
        return _royal_votes(position, election)
    votes = [float(position.titles.count(seat)) for seat in range(position.seats)]
    for diocese in range(DIOCESE_COUNT):
        if election is None or election.diocese != diocese:
            _add_chapter(position, votes, diocese)
    if election is not None:
        for seat, change in enumerate(expected_titles(position)):
            votes[seat] += change
    _add_land(position, votes)
    return votes


def _add_chapter(position: Position, votes: list[float], diocese: int) -> None:
    """Whoever owns churches of a diocese may come to be its bishop."""
    churches = position.churches[diocese]
    total = (churches & position.owned).bit_count()
    bishop = position.titles[diocese]
    for seat, land in enumerate(position.land):
        share = (churches & land).bit_count() / total if total else 0.0
        if seat != bishop:
            votes[seat] += _CHAPTER * share
            if bishop != NOBODY:
                votes[bishop] -= _CHAPTER * share


def _add_land(position: Position, votes: list[float]) -> None:
    """Whoever owns the main region of a title may come to own its partner."""
    for title, (needed, groups) in enumerate(position.options.titles, start=3):
        for seat, land in enumerate(position.land):
            if position.titles[title] != seat and land & needed:
                met = sum(1 for group in groups if group & land) + (land & needed).bit_count()
                votes[seat] += _HALF_A_TITLE * met / (needed.bit_count() + len(groups))


def expected_titles(position: Position) -> list[float]:
    """What the bishop's election under way will give and take, in titles; all 0 without one."""
    election = position.election
    changes = [0.0] * position.seats
    if election is None or election.diocese == NOTHING:
        return changes
    chances = _bishop_chances(position, election)
    bishop = position.titles[election.diocese]
    for seat, chance in enumerate(chances):
        changes[seat] += chance
        if bishop != NOBODY:
            changes[bishop] -= chance
    return changes


def _bishop_chances(position: Position, election: Election) -> list[float]:
    """The chance of each seat to be elected: by churches, each owner for himself, and by votes already cast."""
    runners = list(election.candidates)
    votes = [0.0] * position.seats
    if position.phase == STAND:
        runners += election.asked[election.at :]
    elif position.phase == BISHOP_VOTE:
        runners = election.ballot
        votes = [float(count) for count in election.votes]
    if not runners:
        return [0.0] * position.seats
    for place, seat in enumerate(election.asked):
        left = church_votes(position, election, seat)
        if position.phase == BISHOP_VOTE:
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


def _royal_votes(position: Position, election: Election) -> list[float]:
    """Votes cast, those of electors to come who stand themselves, and a part of the others'."""
    runners = [*election.candidates, *(election.asked[election.at :] if position.phase == STAND else [])]
    votes = [float(count) for count in election.votes]
    open_votes = [0.0] * position.seats
    for place in range(election.elector, TITLE_COUNT):
        holder = position.titles[position.options.vote_order[place]]
        if holder in runners:
            votes[holder] += 1
        elif holder != NOBODY and runners:
            _share_vote(position, election, place, runners, open_votes)
    needed = position.options.votes_to_win
    return [
        sure + maybe + (_CERTAIN if sure >= needed else 0) if seat in runners else 0.0
        for seat, (sure, maybe) in enumerate(zip(votes, open_votes, strict=True))
    ]


def _share_vote(position: Position, election: Election, place: int, runners: list[int], votes: list[float]) -> None:
    """The vote of an elector who does not stand: the offers to him weigh, as far as they are known."""
    are_known = position.phase in (OFFER, KING_VOTE) and place == election.elector
    weights = {runner: 1 + (election.offers[runner] if are_known else 0) for runner in runners}
    for runner, weight in weights.items():
        votes[runner] += _BOUGHT * weight / sum(weights.values())


def expected_payments(position: Position) -> list[float]:
    """What the open offers will bring and cost each seat, in gold."""
    election = position.election
    changes = [0.0] * position.seats
    if election is None or position.phase not in (OFFER, KING_VOTE):
        return changes
    elector = position.titles[position.options.vote_order[election.elector]]
    for seat, offer in enumerate(election.offers):
        expected = _BOUGHT * offer / max(1, len(election.candidates) - 1)
        changes[seat] -= expected
        changes[elector] += expected
    return changes
