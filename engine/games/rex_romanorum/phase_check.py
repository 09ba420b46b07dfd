"""Whether a hand-made position adds up, and whether its phase fits its table. Raises PositionError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from engine.core import PositionError
from engine.games.rex_romanorum import position as at
from engine.games.rex_romanorum.actions import (
    ACT_ACQUIRE,
    ACT_ATTACK,
    ACT_BISHOP,
    ACT_BUILD,
    ACT_KING,
    ACT_MUSTER,
    ACTIONS,
    CASTLE,
    CHURCH,
)
from engine.games.rex_romanorum.board import BIT, REGION_COUNT, TITLES, mask_of
from engine.games.rex_romanorum.position import NOBODY, NOTHING, Election, Position
from engine.games.rex_romanorum.rules import count, king, move
from engine.games.rex_romanorum.rules.bishop import church_votes
from engine.games.rex_romanorum.rules.land import all_churches, manned


def _need(fits: object, message: str) -> None:
    if not fits:
        raise PositionError(message)


def check_table(position: Position) -> None:
    """Raise PositionError unless cards, churches, figures and titles add up (section 9.4)."""
    deck = position.options.deck
    _need(not position.owned & ~mask_of(list(deck)), "owners: a region is owned whose card is not in play (A9)")
    unowned = [region for region in deck if position.owner[region] == NOBODY]
    cards = sorted(position.pile + position.discards + position.drawn)
    _need(cards == unowned, "the cards of pile, discards and drawn are not those of the unowned regions")
    _need(not manned(position) & ~position.owned, "figures: somebody stands in a region that nobody owns (C1)")
    most = position.options.churches_per_diocese
    _need(all(mask.bit_count() <= most for mask in position.churches), f"churches: a diocese has at most {most}")
    churches = sum(mask.bit_count() for mask in position.churches)
    _need(churches == all_churches(position).bit_count(), "churches: a region has at most one")
    _check_titles(position)


def _check_titles(position: Position) -> None:
    """Who meets the condition of a title holds it (C16)."""
    for title, (needed, groups) in enumerate(position.options.titles, start=3):
        for seat, land in enumerate(position.land):
            if not needed & ~land and all(group & land for group in groups):
                _need(position.titles[title] == seat, f"titles.{TITLES[title]}: seat {seat} owns its regions")
    pfalz = position.options.titles[0][0]
    holder = position.titles[3]
    _need(holder == NOBODY or position.land[holder] & pfalz, "titles.pfalz: its holder is the owner of the region")


_TASKS: Final[Mapping[int, tuple[int, ...]]] = {
    at.TURN: (NOTHING,),
    at.KEEP: (ACT_ACQUIRE,),
    at.GARRISON: (ACT_ACQUIRE,),
    at.BUILD: (ACT_BUILD,),
    at.MOVE_FROM: (ACT_MUSTER, ACT_ATTACK),
    at.MOVE_TO: (ACT_MUSTER, ACT_ATTACK),
    at.COUNT: (ACT_ACQUIRE, ACT_MUSTER, ACT_ATTACK),
    at.PLACE: (ACT_MUSTER,),
    at.RAZE: (ACT_ATTACK,),
    at.FIGHT: (ACT_ATTACK,),
    at.FIGHT_ON: (ACT_ATTACK,),
    at.STAND: (*range(ACT_BISHOP, ACT_KING), ACT_KING),
    at.BISHOP_VOTE: tuple(range(ACT_BISHOP, ACT_KING)),
    at.OFFER: (ACT_KING,),
    at.KING_VOTE: (ACT_KING,),
    at.END: (NOTHING,),
}
"""The actions in which a phase occurs."""


def check_phase(position: Position) -> None:
    """Raise PositionError unless somebody could have come to this phase with this table."""
    name = at.PHASES[position.phase]
    if position.task not in _TASKS[position.phase]:
        raise PositionError(f"pending: phase {name} is no part of {_task_name(position)}")
    _need(bool(position.drawn) == (position.phase == at.KEEP), f"drawn: phase {name} has {len(position.drawn)} cards")
    _need(len(position.drawn) <= 3, "drawn: at most three cards are drawn")
    if position.task >= ACT_BISHOP:
        _need(position.election is not None, f"election: phase {name} needs one")
    else:
        _need(position.election is None, f"election: phase {name} has none")
    _need(not position.is_final or position.phase == at.END or position.task == ACT_KING, "final: only in an election")
    check = _CHECKS.get(position.phase, _check_nothing)
    check(position)
    decider = _decider(position)
    _need(position.decider == decider, f"seat: in phase {name} it is {None if decider == NOBODY else decider}")


def _task_name(position: Position) -> str:
    return "no action" if position.task == NOTHING else ACTIONS.names[position.task]


def _decider(position: Position) -> int:
    election = position.election
    if position.phase == at.END:
        return NOBODY
    if election is None:
        return position.active
    if position.phase == at.OFFER:
        return election.candidates[election.at]
    return king.holder(position, election) if position.phase == at.KING_VOTE else election.asked[election.at]


def _check_nothing(position: Position) -> None:
    del position


def _check_garrison(position: Position) -> None:
    land = position.land[position.active]
    _need(not position.fresh & ~land, "pending.bought: a region bought is one's own")


def _check_build(position: Position) -> None:
    """What was built stands there."""
    for building in position.built:
        diocese, region = divmod(building - CHURCH, REGION_COUNT)
        mask = position.castles if building >= CASTLE else position.churches[diocese]
        standing = mask & position.land[position.active] & BIT[region]
        _need(standing, f"pending.built: {ACTIONS.names[building]} does not stand there")


def _check_moves(position: Position) -> None:
    """Figures that moved stand where they may end; the rest is known by their source and target."""
    ending = move.may_end(position)
    arrived = mask_of([figures % REGION_COUNT for figures in position.arrived])
    _need(not arrived & ~ending, "pending.arrived: figures stand where they may not end")
    _need((position.last == NOTHING) == (position.last_to == NOTHING), "pending.last_to goes with pending.last")
    _need((position.last == NOTHING) == (not position.arrived), "pending.arrived goes with pending.last")


def _check_source(position: Position) -> None:
    _check_moves(position)
    _need(position.source != NOTHING and position.source >= position.last, "pending.source: expected a source to move")
    region = BIT[position.source % REGION_COUNT]
    own = position.army[position.source] and position.land[position.active] & region
    _need(own, "pending.source: no own figures stand there")


def _check_count(position: Position) -> None:
    if position.task == ACT_ACQUIRE:
        _check_garrison(position)
        _need(position.source == NOTHING, "pending.source: figures are placed, not moved")
    elif position.source != NOTHING:
        _check_source(position)
    _need(position.target != NOTHING, "pending.target: expected where the figures go")
    if position.source != NOTHING:
        reachable = move.targets(position, position.source) & BIT[position.target]
        _need(reachable, "pending.target: the figures cannot go there")
    else:
        own = position.land[position.active] & BIT[position.target % REGION_COUNT]
        _need(own and position.target > position.last, "pending.target: figures cannot be placed there")
    _need(count.most(position) > 0, "pending.target: no figure can go there")


def _check_attack(position: Position) -> None:
    """Attackers stand in enemy regions, all of them still to be conquered or fought for."""
    land = position.land[position.active]
    attacked = mask_of([figures % REGION_COUNT for figures in position.arrived])
    fight = BIT[position.target] if position.phase == at.FIGHT_ON and position.target != NOTHING else 0
    expected = position.undefended | position.contested | fight
    _need(not position.undefended & position.contested, "pending.contested: a region is undefended and contested")
    _need(attacked == expected, "pending.arrived: attackers stand in other regions than those attacked")
    _need(not attacked & (land | ~position.owned), "pending.arrived: an attacked region is an enemy's")
    defended = manned(position)
    _need(not position.undefended & defended, "pending.undefended: a region is defended")
    _need(not (position.contested | fight) & ~defended, "pending.contested: a region is undefended")


def _check_raze(position: Position) -> None:
    _check_attack(position)
    own = position.castles & position.land[position.active]
    _need(position.target != NOTHING and own & BIT[position.target], "pending.target: expected an own castle")


def _check_fight_on(position: Position) -> None:
    _need(position.target != NOTHING, "pending.target: expected the region of the fight")
    _check_attack(position)


def _check_stand(position: Position) -> None:
    election = _election(position)
    _need(election.at < len(election.asked), "election.at: nobody is asked there")
    expected = NOTHING if position.task == ACT_KING else position.task - ACT_BISHOP
    _need(election.diocese == expected, f"election.diocese: not that of {_task_name(position)}")
    answered = election.asked[: election.at] if position.phase == at.STAND else election.asked
    _need(set(election.candidates) <= set(answered), "election.candidates: somebody stands who was not asked")
    if position.task != ACT_KING:
        voting = all(church_votes(position, election, seat) for seat in election.asked)
        _need(voting, "election.asked: somebody owns no church of the diocese")


def _check_bishop_vote(position: Position) -> None:
    _check_stand(position)
    election = _election(position)
    _need(len(election.ballot) > 1, "election.ballot: expected two candidates or more")
    _need(set(election.ballot) <= set(election.candidates), "election.ballot: somebody is no candidate")
    seat = election.asked[election.at]
    _need(election.cast < church_votes(position, election, seat), f"election.cast: seat {seat} has no vote left")
    earlier = sum(church_votes(position, election, voter) for voter in election.asked[: election.at])
    _need(sum(election.votes) == earlier + election.cast, "election.votes: not as many as were cast")
    others = [votes for voted, votes in enumerate(election.votes) if voted not in election.ballot]
    _need(not any(others), "election.votes: somebody has votes who is not on the ballot")


def _check_king_vote(position: Position) -> None:
    election = _election(position)
    _need(election.candidates, "election.candidates: expected a candidate")
    _need(election.candidates == election.ballot, "election.ballot: expected the candidates")
    holder = king.holder(position, election)
    _need(holder != NOBODY, "election.elector: nobody holds that title")
    if position.phase == at.OFFER:
        _need(election.at < len(election.candidates), "election.at: nobody is asked there")
        _need(election.candidates[election.at] != holder, "election.at: the elector makes himself no offer")
    affordable = all(offer <= gold for offer, gold in zip(election.offers, position.gold, strict=True))
    _need(affordable and not election.offers[holder], "election.offers: more than the candidate holds")
    fewest = position.options.votes_to_win
    _need(max(election.votes) < fewest, f"election.votes: {fewest} make a king and end the game")


def _election(position: Position) -> Election:
    election = position.election
    if election is None:
        raise PositionError("election: the phase needs one")
    return election


_CHECKS: Final[Mapping[int, Callable[[Position], None]]] = {
    at.GARRISON: _check_garrison,
    at.BUILD: _check_build,
    at.MOVE_FROM: _check_moves,
    at.MOVE_TO: _check_source,
    at.COUNT: _check_count,
    at.RAZE: _check_raze,
    at.FIGHT: _check_attack,
    at.FIGHT_ON: _check_fight_on,
    at.STAND: _check_stand,
    at.BISHOP_VOTE: _check_bishop_vote,
    at.OFFER: _check_king_vote,
    at.KING_VOTE: _check_king_vote,
}
