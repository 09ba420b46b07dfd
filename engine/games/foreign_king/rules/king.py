"""The King: his walk, the Congress, scoring, switching a factory off; then the virtual player's units with 2 seats.

Rules R10 and R14, A1-A15, A38-A43, K2, K9, K10, K17. The opponent of a seat that scored uses the units.
"""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import LONGEST_WALK, NEIGHBOURS, PORTRAIT, PROVINCE_COUNT, WALK_LENGTHS
from engine.games.foreign_king.rules.citizens import add_discs, is_occupied, take_disc
from engine.games.foreign_king.rules.turns import finish_action
from engine.games.foreign_king.scoring import NOBODY, majority
from engine.games.foreign_king.state import (
    ACTIVE,
    CONGRESS_ASK,
    INACTIVATE,
    KING_LEN,
    VIRT,
    VIRT_TO,
    VIRTUAL,
    ForeignKingState,
    members,
)

_METAL_POINTS: Final = 6
_TEXTILE_POINTS: Final = 3
_DISCS_PER_POINT: Final = 3
_ASK_LEGAL: Final[tuple[int, ...]] = (ids.CONGRESS_GO, ids.CONGRESS_STAY)


def _lengths(start: int, end: int, longest: int) -> tuple[int, ...]:
    return tuple(ids.KING_LEN + n - 1 for n in sorted(WALK_LENGTHS[start][end]) if n <= longest)


_LEN_LEGAL: Final = tuple(
    tuple(tuple(_lengths(start, end, longest) for longest in range(LONGEST_WALK + 1)) for end in range(PROVINCE_COUNT))
    for start in range(PROVINCE_COUNT)
)
"""`[start][end][longest walk]`"""


def _ends(start: int, longest: int) -> tuple[int, ...]:
    return tuple(ids.KING_TO + end for end in range(PROVINCE_COUNT) if _LEN_LEGAL[start][end][longest])


_ANYWHERE: Final = tuple(range(ids.KING_TO, ids.KING_LEN))
_TO_LEGAL: Final[tuple[tuple[tuple[int, ...], ...], ...]] = (
    *(tuple(_ends(start, longest) for longest in range(LONGEST_WALK + 1)) for start in range(PROVINCE_COUNT)),
    (_ANYWHERE,) * (LONGEST_WALK + 1),
)
"""`[start or PORTRAIT][longest walk]`"""
_INACT_LEGAL: Final[tuple[tuple[int, ...], ...]] = tuple(
    (ids.INACT_NONE, *((ids.INACT_METAL,) if kinds & 1 else ()), *((ids.INACT_TEXTILE,) if kinds & 2 else ()))
    for kinds in range(4)
)


_PLACES: Final = tuple(range(ids.VIRT_PLACE, ids.VIRT_FROM))


def _unit_entries(supplied: bool, occupied: int) -> tuple[int, ...]:
    sources = tuple(ids.VIRT_FROM + province for province in members(occupied, PROVINCE_COUNT))
    return (*_PLACES, *sources) if supplied else sources


_MOVES_LEGAL: Final = tuple(_unit_entries(False, occupied) for occupied in range(512))
_ALL_LEGAL: Final = tuple(_unit_entries(True, occupied) for occupied in range(512))
_VIRT_TO_LEGAL: Final = tuple(
    tuple(ids.VIRT_TO + neighbour for neighbour in NEIGHBOURS[source]) for source in range(PROVINCE_COUNT)
)


def _longest_walk(state: ForeignKingState) -> int:
    """Return how many steps the King may make: n of them cost n - 1 Francs."""
    return min(state.francs[state.active] + 1, LONGEST_WALK)


def legal_king_to(state: ForeignKingState) -> tuple[int, ...]:
    """Return every province if he comes from the portrait, else those where a payable walk ends (C5)."""
    return _TO_LEGAL[state.king][_longest_walk(state)]


def is_legal_king_to(state: ForeignKingState, action: int) -> bool:
    """Tell whether a KING_TO entry is legal."""
    if not ids.KING_TO <= action < ids.KING_LEN:
        return False
    return state.king == PORTRAIT or bool(_LEN_LEGAL[state.king][action - ids.KING_TO][_longest_walk(state)])


def apply_king_to(state: ForeignKingState, action: int) -> None:
    """Move him there at once and for free from the portrait, marker -1 (A3); else ask for the length of the walk."""
    if state.king == PORTRAIT:
        _arrive(state, action - ids.KING_TO, 1)
    else:
        state.province = action - ids.KING_TO
        state.phase = KING_LEN


def legal_king_len(state: ForeignKingState) -> tuple[int, ...]:
    """Return the payable lengths of walks to the chosen province (A2)."""
    return _LEN_LEGAL[state.king][state.province][_longest_walk(state)]


def is_legal_king_len(state: ForeignKingState, action: int) -> bool:
    """Tell whether a KING_LEN entry is legal."""
    steps = action - ids.KING_LEN + 1
    return 1 <= steps <= _longest_walk(state) and steps in WALK_LENGTHS[state.king][state.province]


def apply_king_len(state: ForeignKingState, action: int) -> None:
    """Pay n - 1 Francs and move the King, marker -(n + 1) (A1)."""
    steps = action - ids.KING_LEN + 1
    state.francs[state.active] -= steps - 1
    _arrive(state, state.province, steps + 1)


def _arrive(state: ForeignKingState, province: int, drop: int) -> None:
    """Let the King stand there; an empty province ends the action unless the Congress may come (A7)."""
    state.king = province
    state.marker = max(0, state.marker - drop)  # A5
    if not state.options.congress_on_empty and not is_occupied(state, province):
        finish_action(state)
        return
    ranked = ranked_congress(state)
    if ranked:
        state.asked = ranked
        state.decider = ranked[0]
        state.phase = CONGRESS_ASK
    else:
        _score(state)


def ranked_congress(state: ForeignKingState) -> tuple[int, ...]:
    """Return whom to ask: most discs first, ties as the track stands (A14, A15), nobody if 2 seats tie (K9)."""
    congress = state.congress
    present = [seat for seat in state.order if congress[seat]]
    if state.seats == 2 and len(present) == 2 and congress[0] == congress[1]:
        return ()
    present.sort(key=congress.__getitem__, reverse=True)  # stable: ties stay in turn order
    return tuple(present)


def legal_ask(_state: ForeignKingState) -> tuple[int, ...]:
    """Return both answers."""
    return _ASK_LEGAL


def is_legal_ask(_state: ForeignKingState, action: int) -> bool:
    """Tell whether a CONGRESS_ASK entry is legal."""
    return action == ids.CONGRESS_GO or action == ids.CONGRESS_STAY


def apply_go(state: ForeignKingState, _action: int) -> None:
    """Bring all discs of the seat from the Congress; nobody else is asked."""
    seat = state.asked[0]
    state.asked = ()
    add_discs(state, seat, state.king, state.congress[seat])
    state.congress[seat] = 0
    _score(state)


def apply_stay(state: ForeignKingState, _action: int) -> None:
    """Ask the next seat, or score if there is none."""
    state.asked = state.asked[1:]
    if state.asked:
        state.decider = state.asked[0]
    else:
        _score(state)


def _score(state: ForeignKingState) -> None:
    """Score the King's province (A9-A12)."""
    province = state.king
    packed = state.factories[province]
    active = packed & ACTIVE
    winner = majority(state, province)
    if winner == NOBODY:
        if active and is_occupied(state, province):  # K2, A8, K17
            state.phase = INACTIVATE
            state.decider = state.active
        else:
            finish_action(state)
        return
    if active:
        points = _METAL_POINTS * (active & 7) + _TEXTILE_POINTS * (active >> 3)
        state.factories[province] = ((packed >> 6) + active) << 6
        state.inactive_count += (active & 7) + (active >> 3)
    else:
        points = state.discs[winner * PROVINCE_COUNT + province] // _DISCS_PER_POINT
    state.scores[winner] += points
    state.second_score = sorted(state.scores)[-2]
    if state.seats == 2 and points >= 2 and winner != VIRTUAL:
        state.units = points - 1
        state.decider = 1 - winner
        state.phase = VIRT
    else:
        finish_action(state)


def legal_inactivate(state: ForeignKingState) -> tuple[int, ...]:
    """Return to leave all, and to switch off a factory of each type that is active there (A12)."""
    active = state.factories[state.king] & ACTIVE
    return _INACT_LEGAL[(active & 7 > 0) + 2 * (active > 7)]


def is_legal_inactivate(state: ForeignKingState, action: int) -> bool:
    """Tell whether an INACTIVATE entry is legal."""
    active = state.factories[state.king] & ACTIVE
    if action == ids.INACT_METAL:
        return active & 7 > 0
    if action == ids.INACT_TEXTILE:
        return active > 7
    return action == ids.INACT_NONE


def apply_inact_none(state: ForeignKingState, _action: int) -> None:
    """Leave every factory as it is."""
    finish_action(state)


def apply_inact(state: ForeignKingState, action: int) -> None:
    """Turn one factory over for good."""
    one = 1 if action == ids.INACT_METAL else 8
    state.factories[state.king] += one * 64 - one
    state.inactive_count += 1
    finish_action(state)


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
    return _VIRT_TO_LEGAL[state.province]


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
