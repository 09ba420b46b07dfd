"""TURN and QUEEN_SUB: which actions are available, and choosing one (R4, R11, A21-A31, K3, K16)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.rules.money import francs_with_all_loans
from engine.games.foreign_king.state import QUEEN_SUB, TURN, Position, members

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

_LEGAL: Final = tuple(members(bit_set, ids.LOAN + 1) for bit_set in range(512))
"""Bit set of ACT_* and LOAN -> ids."""


def _performable(s: Position, francs: int) -> int:
    """Bit set of the spaces, the Queen apart, whose action the active seat could carry out with so many Francs."""
    me = s.active
    able = _ALWAYS
    if s.hand[me]:
        able |= _PLACE | _CONGRESS
    if s.occupied[me]:
        able |= _MOVE | _CONGRESS
    if francs >= BUILD_PRICE and (s.supply_m or s.supply_t):
        able |= _BUILD
    return able


def _queen_scope(s: Position) -> int:
    """Bit set of the spaces that the Queen of the active seat reaches (C4, K16)."""
    if s.options.queen_scope == "any":
        return _ALL_SPACES & ~_QUEEN
    scope = 0
    for seat, space in enumerate(s.pawns):
        if seat != s.active and space >= 0:
            scope |= 1 << space
    return scope & ~_QUEEN


def _available(s: Position, francs: int) -> int:
    """Bit set of the actions that the active seat may choose with so many Francs (R4)."""
    free = s.free_spaces
    able = _performable(s, francs)
    if free & _QUEEN and francs >= QUEEN_PRICE and _performable(s, francs - QUEEN_PRICE) & _queen_scope(s):
        able |= _QUEEN
    return able & free


def turn_legal(s: Position) -> tuple[int, ...]:
    """Available actions and LOAN; PASS alone if no loan would help (K3)."""
    able = _available(s, s.francs[s.active])
    if s.medals_up[s.active]:
        able |= _LOAN
    if able & _ALL_SPACES == 0 and not _available(s, francs_with_all_loans(s)):
        return (ids.PASS,)
    return _LEGAL[able]


def turn_is_legal(s: Position, action: int) -> bool:
    """Whether a TURN entry is legal."""
    if 0 <= action < ids.LOAN:
        return _available(s, s.francs[s.active]) >> action & 1 == 1
    if action == ids.LOAN or action == ids.PASS:
        stuck = not _available(s, francs_with_all_loans(s))
        return stuck if action == ids.PASS else not stuck and s.medals_up[s.active] > 0
    return False


def _queen_entries(s: Position) -> int:
    return _performable(s, s.francs[s.active]) & _queen_scope(s)


def queen_legal(s: Position) -> tuple[int, ...]:
    """What the Queen may do now that she is paid."""
    return _LEGAL[_queen_entries(s)]


def queen_is_legal(s: Position, action: int) -> bool:
    """Whether a QUEEN_SUB entry is legal."""
    return 0 <= action < ids.LOAN and _queen_entries(s) >> action & 1 == 1


def choose(s: Position, space: int) -> None:
    """Put the pawn on the space (R4, K10); after the Queen it stays on hers (A21)."""
    if s.phase == TURN:
        me = s.active
        before = s.pawns[me]
        if before >= 0:
            s.free_spaces |= 1 << before
        s.pawns[me] = space
        s.free_spaces &= ~(1 << space)


def apply_queen(s: Position, action: int) -> None:
    """ACT_QUEEN: pay her, then choose again (R11)."""
    choose(s, action)
    s.francs[s.active] -= QUEEN_PRICE
    s.phase = QUEEN_SUB
