"""TURN: the seven actions a player chooses from (sections 1 and 9.2), and the start of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.games.rex_romanorum.actions import (
    ACT_ACQUIRE,
    ACT_ATTACK,
    ACT_BISHOP,
    ACT_BUILD,
    ACT_HARVEST,
    ACT_KING,
    ACT_MUSTER,
)
from engine.games.rex_romanorum.board import DIOCESE_COUNT, TITLE_COUNT, regions_of
from engine.games.rex_romanorum.rules import flow, land, moves
from engine.games.rex_romanorum.scoring import production
from engine.games.rex_romanorum.state import BUILD, NOBODY, RexState, new_election

_ACQUIRE: Final = 1 << ACT_ACQUIRE
_HARVEST: Final = 1 << ACT_HARVEST
_BUILD: Final = 1 << ACT_BUILD
_MUSTER: Final = 1 << ACT_MUSTER
_ATTACK: Final = 1 << ACT_ATTACK
_BISHOP: Final = 1 << ACT_BISHOP
_KING: Final = 1 << ACT_KING
_LEGAL: Final = tuple(tuple(regions_of(bit_set)) for bit_set in range(2 * _KING))
"""Bit set of ACT_* -> ids."""


def begin(state: RexState) -> None:
    """Shuffle the region cards of the variant into the pile (A9, K10); seat 0 begins (K1)."""
    state.pile = list(state.options.deck)
    state.source_of_chance().shuffle(state.pile)


def legal_turn(state: RexState) -> Sequence[int]:
    """Return the actions that may be chosen for this turn."""
    able = _HARVEST
    if can_acquire(state):
        able |= _ACQUIRE
    if land.can_build(state):
        able |= _BUILD
    if state.land[state.active]:
        able |= _MUSTER
        if moves.can_attack(state):
            able |= _ATTACK
    if state.gold[state.active] >= state.options.bishop_election_price:
        for diocese in range(DIOCESE_COUNT):
            if has_chapter(state, diocese):
                able |= _BISHOP << diocese
    if can_call_royal_election(state):
        able |= _KING
    return _LEGAL[able]


def is_legal_turn(state: RexState, action: int) -> bool:
    """Tell whether the action may be chosen for this turn."""
    if action == ACT_HARVEST:  # also without any production, so that a ruined player can act (B1, D2)
        return True
    if action == ACT_ACQUIRE:
        return can_acquire(state)
    if action == ACT_BUILD:
        return land.can_build(state)
    if action == ACT_MUSTER:  # also with nothing to buy or move: the harmless action (S9); needs a region (B7)
        return state.land[state.active] != 0
    if action == ACT_ATTACK:
        return moves.can_attack(state)
    if ACT_BISHOP <= action < ACT_BISHOP + DIOCESE_COUNT:
        affordable = state.gold[state.active] >= state.options.bishop_election_price
        return affordable and has_chapter(state, action - ACT_BISHOP)
    return action == ACT_KING and can_call_royal_election(state)


def can_acquire(state: RexState) -> bool:
    """Tell whether a card is left to draw, however little gold there is (A3, A4)."""
    return bool(state.pile) or bool(state.discards)


def has_chapter(state: RexState, diocese: int) -> bool:
    """Tell whether a player owns a church of the diocese (6.1.1)."""
    return state.churches[diocese] & state.owned != 0


def can_call_royal_election(state: RexState) -> bool:
    """Tell whether the price can be paid, and so many titles are held that somebody could win (6.2.1)."""
    if state.gold[state.active] < state.options.king_election_price:
        return False
    return TITLE_COUNT - state.titles.count(NOBODY) >= state.options.votes_to_win


def apply_turn(state: RexState, action: int) -> None:
    """Begin the action; elections are paid at the call (K12)."""
    state.task = action
    if action == ACT_ACQUIRE:
        land.draw_cards(state)
    elif action == ACT_HARVEST:
        harvest(state)
    elif action == ACT_BUILD:
        state.phase = BUILD
    elif action in (ACT_MUSTER, ACT_ATTACK):
        moves.enter_sources(state)
    elif action == ACT_KING:
        state.gold[state.active] -= state.options.king_election_price
        flow.open_royal_election(state)
    else:
        # The owners of the diocese's churches are asked, clockwise from the caller (6.1.1, 6.1.2, K1).
        diocese = action - ACT_BISHOP
        state.gold[state.active] -= state.options.bishop_election_price
        churches = state.churches[diocese]
        owners = [seat for seat in flow.clockwise(state) if state.land[seat] & churches]
        flow.ask(state, new_election(diocese, owners, state.seats))


def harvest(state: RexState) -> None:
    """Pay the production, at most the cap (section 2)."""
    seat = state.active
    state.gold[seat] += min(state.options.harvest[3], production(state, seat))
    flow.end_turn(state)
