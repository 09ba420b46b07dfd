"""TURN: the seven actions a player chooses from (sections 1 and 9.2), and the start of the game."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.rex_romanorum.actions import (
    ACT_ACQUIRE,
    ACT_ATTACK,
    ACT_BISHOP,
    ACT_BUILD,
    ACT_HARVEST,
    ACT_KING,
    ACT_MUSTER,
)
from engine.games.rex_romanorum.board import DIOCESE_COUNT
from engine.games.rex_romanorum.position import BUILD, NOBODY, Election, Position
from engine.games.rex_romanorum.rules import acquire, build, flow, move
from engine.games.rex_romanorum.rules.land import production


def start(position: Position) -> None:
    """Shuffle the region cards of the variant into the pile (A9, K10); seat 0 begins (K1)."""
    position.pile = list(position.options.deck)
    position.source_of_chance().shuffle(position.pile)


def legal(position: Position) -> Sequence[int]:
    """The actions of this turn."""
    found = [ACT_ACQUIRE, ACT_HARVEST] if can_acquire(position) else [ACT_HARVEST]
    if build.can_build(position):
        found.append(ACT_BUILD)
    if position.land[position.active]:
        found.append(ACT_MUSTER)
        if move.can_attack(position):
            found.append(ACT_ATTACK)
    if position.gold[position.active] >= position.options.bishop_election_price:
        found += [ACT_BISHOP + diocese for diocese in range(DIOCESE_COUNT) if has_chapter(position, diocese)]
    if can_call_royal_election(position):
        found.append(ACT_KING)
    return found


def is_legal(position: Position, action: int) -> bool:
    """Whether `action` may be chosen."""
    if action == ACT_HARVEST:  # also without any production, so that a ruined player can act (B1, D2)
        return True
    if action == ACT_ACQUIRE:
        return can_acquire(position)
    if action == ACT_BUILD:
        return build.can_build(position)
    if action == ACT_MUSTER:  # also with nothing to buy or move: the harmless action (S9); needs a region (B7)
        return position.land[position.active] != 0
    if action == ACT_ATTACK:
        return move.can_attack(position)
    if ACT_BISHOP <= action < ACT_BISHOP + DIOCESE_COUNT:
        affordable = position.gold[position.active] >= position.options.bishop_election_price
        return affordable and has_chapter(position, action - ACT_BISHOP)
    return action == ACT_KING and can_call_royal_election(position)


def can_acquire(position: Position) -> bool:
    """Whether a card is left to draw, however little gold there is (A3, A4)."""
    return bool(position.pile) or bool(position.discards)


def has_chapter(position: Position, diocese: int) -> bool:
    """Whether a player owns a church of the diocese (6.1.1)."""
    return position.churches[diocese] & position.owned != 0


def can_call_royal_election(position: Position) -> bool:
    """With the price, and while so many titles are held that somebody could win (6.2.1)."""
    held = len(position.titles) - position.titles.count(NOBODY)
    affordable = position.gold[position.active] >= position.options.king_election_price
    return affordable and held >= position.options.votes_to_win


def apply(position: Position, action: int) -> None:
    """Begin the action; elections are paid at the call (K12)."""
    position.task = action
    if action == ACT_ACQUIRE:
        acquire.draw(position)
    elif action == ACT_HARVEST:
        harvest(position)
    elif action == ACT_BUILD:
        position.phase = BUILD
    elif action in (ACT_MUSTER, ACT_ATTACK):
        move.enter_sources(position)
    elif action == ACT_KING:
        position.gold[position.active] -= position.options.king_election_price
        flow.open_royal_election(position)
    else:
        call_bishop_election(position, action - ACT_BISHOP)


def harvest(position: Position) -> None:
    """Pay the production, at most the cap (section 2)."""
    seat = position.active
    position.gold[seat] += min(position.options.harvest[3], production(position, seat))
    flow.end_turn(position)


def call_bishop_election(position: Position, diocese: int) -> None:
    """Ask the owners of the diocese's churches, clockwise from the caller; he need not own one (6.1.1, 6.1.2, K1)."""
    position.gold[position.active] -= position.options.bishop_election_price
    churches = position.churches[diocese]
    owners = [seat for seat in flow.clockwise(position) if position.land[seat] & churches]
    flow.ask(position, Election(diocese, owners, position.seats))
