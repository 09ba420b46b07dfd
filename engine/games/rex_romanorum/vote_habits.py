"""How a sensible player stands, votes, bribes and is bribed. See habits.py."""

from __future__ import annotations

from random import Random
from typing import Final

from engine.games.rex_romanorum.actions import ABSTAIN, DECLINE, OFFER, STAND, VOTE
from engine.games.rex_romanorum.board import TITLE_COUNT
from engine.games.rex_romanorum.position import NOTHING, Election, Position
from engine.games.rex_romanorum.rules.king import most_offered
from engine.games.rex_romanorum.rules.scoring import wealth

_CANDIDATES_GOLD: Final = 20
"""With this much gold a seat without titles stands: it may buy votes."""
_FORTUNE: Final = 40
"""For this much a vote that crowns is for sale where more than two play: there are other places than the first."""


def choose_stand(position: Position, random: Random) -> int:
    """For bishop always; for king with a vote of one's own, or gold for others'."""
    del random
    election, seat = _election(position), position.decider
    if election.diocese != NOTHING or position.titles.count(seat) or position.gold[seat] >= _CANDIDATES_GOLD:
        return STAND
    return DECLINE


def choose_bishop(position: Position, random: Random) -> int:
    """Oneself, else the candidate with the fewest titles."""
    del random
    legal = position.legal_actions()
    if VOTE + position.decider in legal:
        return VOTE + position.decider
    return min(legal, key=lambda action: position.titles.count(action - VOTE))


def choose_offer(position: Position, random: Random) -> int:
    """Much for the vote that crowns, a little on the way there, else nothing."""
    election, seat = _election(position), position.decider
    missing = position.options.votes_to_win - _votes_in_hand(position, election, seat)
    gold = most_offered(position)
    if missing == 1:
        return OFFER + min(gold, 5 + int(gold * 0.5 * random.random()))
    return OFFER + min(gold, 5) if missing == 2 else OFFER


def choose_king(position: Position, random: Random) -> int:
    """Oneself with enough votes in hand; else the best offer that leaves a first place; else oneself, or nobody."""
    del random
    election, seat = _election(position), position.decider
    is_candidate = seat in election.candidates
    if is_candidate and _votes_in_hand(position, election, seat) >= position.options.votes_to_win:
        return VOTE + seat
    buyers = [other for other in election.candidates if election.offers[other] and _may_sell(position, election, other)]
    if buyers:
        return VOTE + max(buyers, key=lambda other: election.offers[other])
    return VOTE + seat if is_candidate else ABSTAIN


def _may_sell(position: Position, election: Election, buyer: int) -> bool:
    """A vote that crowns is sold by who then is the richest, and so has won too; for a fortune by others as well."""
    paid = election.offers[buyer]
    if election.votes[buyer] + 1 < position.options.votes_to_win or (position.seats > 2 and paid >= _FORTUNE):
        return True
    own = wealth(position, position.decider) + paid
    return all(own >= wealth(position, other) - paid * (other == buyer) for other in range(position.seats))


def _votes_in_hand(position: Position, election: Election, seat: int) -> int:
    """Votes cast for the seat, and its own electors still to vote."""
    order = position.options.vote_order
    own = sum(position.titles[order[place]] == seat for place in range(election.elector, TITLE_COUNT))
    return election.votes[seat] + own


def _election(position: Position) -> Election:
    election = position.election
    assert election is not None
    return election
