"""TURN and QUEEN_SUB: which actions are available, and choosing one (R4, R11, A21-A31, K3, K16)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.rules.money import francs_with_all_loans
from engine.games.foreign_king.state import (
    BUILD,
    CONGRESS,
    KING_TO,
    MOVE_FROM,
    PLACE_P,
    QUEEN_SUB,
    TURN,
    ForeignKingState,
    members,
)

BUILD_PRICE: Final = 3
QUEEN_PRICE: Final = 2

_BUILD: Final = 1 << ids.ACT_BUILD
_PLACE: Final = 1 << ids.ACT_PLACE
_MOVE: Final = 1 << ids.ACT_MOVE
_CONGRESS: Final = 1 << ids.ACT_CONGRESS
_QUEEN: Final = 1 << ids.ACT_QUEEN
_LOAN: Final = 1 << ids.LOAN
# Coins, King and Change order are always performable (A30).
_ALWAYS: Final = 1 << ids.ACT_COINS | 1 << ids.ACT_KING | 1 << ids.ACT_CHANGE
_ALL_SPACES: Final = 0xFF

_ASKS: Final[tuple[int, ...]] = (BUILD, PLACE_P, MOVE_FROM, CONGRESS, TURN, KING_TO)
"""The phase that asks how an action is carried out, by space; coins need none."""
_STUCK: Final[tuple[int, ...]] = (ids.PASS,)
_LEGAL: Final = tuple(members(bit_set, ids.LOAN + 1) for bit_set in range(512))
"""Bit set of ACT_* and LOAN -> ids."""


def _performable(state: ForeignKingState, francs: int) -> int:
    """Return the bit set of the spaces but the Queen's whose action the active seat could pay with so many Francs."""
    me = state.active
    able = _ALWAYS
    if state.hand[me]:
        able |= _PLACE | _CONGRESS
    if state.occupied[me]:
        able |= _MOVE | _CONGRESS
    if francs >= BUILD_PRICE and state.supply:
        able |= _BUILD
    return able


def _queen_scope(state: ForeignKingState) -> int:
    """Return the bit set of the spaces that the Queen of the active seat reaches (C4, K16)."""
    if state.options.queen_scope == "any":
        return _ALL_SPACES & ~_QUEEN
    scope = 0
    for seat, space in enumerate(state.pawns):
        if seat != state.active and space >= 0:
            scope |= 1 << space
    return scope & ~_QUEEN


def _available(state: ForeignKingState, francs: int) -> int:
    """Return the bit set of the actions that the active seat may choose with so many Francs (R4)."""
    free = state.free_spaces
    able = _performable(state, francs)
    if free & _QUEEN and francs >= QUEEN_PRICE and _performable(state, francs - QUEEN_PRICE) & _queen_scope(state):
        able |= _QUEEN
    return able & free


def legal_turn(state: ForeignKingState) -> tuple[int, ...]:
    """Return the available actions and LOAN, or PASS alone if no loan would help (K3)."""
    able = _available(state, state.francs[state.active])
    if state.medals[state.active] > state.loans[state.active]:
        able |= _LOAN
    if able & _ALL_SPACES == 0 and not _available(state, francs_with_all_loans(state)):
        return _STUCK
    return _LEGAL[able]


def is_legal_turn(state: ForeignKingState, action: int) -> bool:
    """Tell whether a TURN entry is legal."""
    if 0 <= action < ids.LOAN:
        return _available(state, state.francs[state.active]) >> action & 1 == 1
    if action == ids.LOAN or action == ids.PASS:
        stuck = not _available(state, francs_with_all_loans(state))
        return stuck if action == ids.PASS else not stuck and state.medals[state.active] > state.loans[state.active]
    return False


def _queen_entries(state: ForeignKingState) -> int:
    return _performable(state, state.francs[state.active]) & _queen_scope(state)


def legal_queen(state: ForeignKingState) -> tuple[int, ...]:
    """Return what the Queen may do now that she is paid."""
    return _LEGAL[_queen_entries(state)]


def is_legal_queen(state: ForeignKingState, action: int) -> bool:
    """Tell whether a QUEEN_SUB entry is legal."""
    return 0 <= action < ids.LOAN and _queen_entries(state) >> action & 1 == 1


def choose(state: ForeignKingState, space: int) -> None:
    """Put the pawn on the space (R4, K10); after the Queen it stays on hers (A21)."""
    if state.phase == TURN:
        me = state.active
        before = state.pawns[me]
        if before >= 0:
            state.free_spaces |= 1 << before
        state.pawns[me] = space
        state.free_spaces &= ~(1 << space)


def apply_space(state: ForeignKingState, space: int) -> None:
    """Put the pawn on Build, Place, Move, Congress or King, and ask how it is carried out."""
    choose(state, space)
    state.phase = _ASKS[space]


def apply_queen(state: ForeignKingState, action: int) -> None:
    """Pay the Queen and choose again (R11)."""
    choose(state, action)
    state.francs[state.active] -= QUEEN_PRICE
    state.phase = QUEEN_SUB
