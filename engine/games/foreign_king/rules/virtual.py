"""The virtual player's units, used by the opponent of a seat that scored, 2 seats (R14, A38-A43)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import NEIGHBOURS, PROVINCE_COUNT
from engine.games.foreign_king.rules.citizens import add_discs, take_disc
from engine.games.foreign_king.rules.flow import finish_action
from engine.games.foreign_king.state import VIRT, VIRT_TO, VIRTUAL, ForeignKingState, members

_PLACES: Final = tuple(range(ids.VIRT_PLACE, ids.VIRT_FROM))


def _unit_entries(supplied: bool, occupied: int) -> tuple[int, ...]:
    sources = tuple(ids.VIRT_FROM + province for province in members(occupied, PROVINCE_COUNT))
    return (*_PLACES, *sources) if supplied else sources


_MOVES_LEGAL: Final = tuple(_unit_entries(False, occupied) for occupied in range(512))
_ALL_LEGAL: Final = tuple(_unit_entries(True, occupied) for occupied in range(512))
_TO_LEGAL: Final = tuple(
    tuple(ids.VIRT_TO + neighbour for neighbour in NEIGHBOURS[source]) for source in range(PROVINCE_COUNT)
)


def legal_virt(state: ForeignKingState) -> tuple[int, ...]:
    """Return every province for a disc of the supply, and every province with one to move a step on (A42)."""
    return (_ALL_LEGAL if state.hand[VIRTUAL] else _MOVES_LEGAL)[state.occupied[VIRTUAL]]


def is_legal_virt(state: ForeignKingState, action: int) -> bool:
    """Tell whether a VIRT entry is legal."""
    if ids.VIRT_PLACE <= action < ids.VIRT_FROM:
        return state.hand[VIRTUAL] > 0
    return ids.VIRT_FROM <= action < ids.VIRT_TO and state.occupied[VIRTUAL] >> (action - ids.VIRT_FROM) & 1 == 1


def apply_virt_place(state: ForeignKingState, action: int) -> None:
    """Place a disc of the supply."""
    state.hand[VIRTUAL] -= 1
    add_discs(state, VIRTUAL, action - ids.VIRT_PLACE, 1)
    _use_unit(state)


def apply_virt_from(state: ForeignKingState, action: int) -> None:
    """Choose the disc; it moves when it is said where (K10)."""
    state.province = action - ids.VIRT_FROM
    state.phase = VIRT_TO


def legal_virt_to(state: ForeignKingState) -> tuple[int, ...]:
    """Return the provinces over one border."""
    return _TO_LEGAL[state.province]


def is_legal_virt_to(state: ForeignKingState, action: int) -> bool:
    """Tell whether a VIRT_TO entry is legal."""
    return action - ids.VIRT_TO in NEIGHBOURS[state.province]


def apply_virt_to(state: ForeignKingState, action: int) -> None:
    """Move the chosen disc."""
    take_disc(state, VIRTUAL, state.province)
    add_discs(state, VIRTUAL, action - ids.VIRT_TO, 1)
    state.phase = VIRT
    _use_unit(state)


def _use_unit(state: ForeignKingState) -> None:
    """Go on with the turn once all units are used, as they must be (C9)."""
    state.units -= 1
    if state.units == 0:
        finish_action(state)
