"""The virtual player's units, used by the opponent of a seat that scored, 2 seats (R14, A38-A43)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import NEIGHBOURS, PROVINCE_COUNT
from engine.games.foreign_king.rules.citizens import add_discs, take_disc
from engine.games.foreign_king.rules.flow import finish_action
from engine.games.foreign_king.state import VIRT, VIRT_TO, VIRTUAL, Position, members

_PLACES: Final = tuple(range(ids.VIRT_PLACE, ids.VIRT_FROM))


def _unit_entries(supplied: bool, occupied: int) -> tuple[int, ...]:
    sources = tuple(ids.VIRT_FROM + province for province in members(occupied, PROVINCE_COUNT))
    return (*_PLACES, *sources) if supplied else sources


_MOVES_LEGAL: Final = tuple(_unit_entries(False, occupied) for occupied in range(512))
_ALL_LEGAL: Final = tuple(_unit_entries(True, occupied) for occupied in range(512))
_TO_LEGAL: Final = tuple(
    tuple(ids.VIRT_TO + neighbour for neighbour in NEIGHBOURS[source]) for source in range(PROVINCE_COUNT)
)


def virt_legal(s: Position) -> tuple[int, ...]:
    """A disc of the supply to any province, or one of the map a step on (A42)."""
    return (_ALL_LEGAL if s.hand[VIRTUAL] else _MOVES_LEGAL)[s.occupied[VIRTUAL]]


def virt_is_legal(s: Position, action: int) -> bool:
    """Whether a VIRT entry is legal."""
    if ids.VIRT_PLACE <= action < ids.VIRT_FROM:
        return s.hand[VIRTUAL] > 0
    return ids.VIRT_FROM <= action < ids.VIRT_TO and s.occupied[VIRTUAL] >> (action - ids.VIRT_FROM) & 1 == 1


def apply_virt_place(s: Position, action: int) -> None:
    """VIRT_PLACE: a disc of the supply."""
    s.hand[VIRTUAL] -= 1
    add_discs(s, VIRTUAL, action - ids.VIRT_PLACE, 1)
    _use_unit(s)


def apply_virt_from(s: Position, action: int) -> None:
    """VIRT_FROM: which disc; it moves at VIRT_TO (K10)."""
    s.province = action - ids.VIRT_FROM
    s.phase = VIRT_TO


def virt_to_legal(s: Position) -> tuple[int, ...]:
    """Over one border."""
    return _TO_LEGAL[s.province]


def virt_to_is_legal(s: Position, action: int) -> bool:
    """Whether a VIRT_TO entry is legal."""
    return action - ids.VIRT_TO in NEIGHBOURS[s.province]


def apply_virt_to(s: Position, action: int) -> None:
    """VIRT_TO: the disc moves."""
    take_disc(s, VIRTUAL, s.province)
    add_discs(s, VIRTUAL, action - ids.VIRT_TO, 1)
    s.phase = VIRT
    _use_unit(s)


def _use_unit(s: Position) -> None:
    """All units must be used (C9); then the turn goes on."""
    s.units -= 1
    if s.units == 0:
        finish_action(s)
