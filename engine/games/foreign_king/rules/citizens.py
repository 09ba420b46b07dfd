"""Discs: Place, Move, Congress (R6-R8, A35-A37, K5, K10)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import DISTANCE, PROVINCE_COUNT
from engine.games.foreign_king.rules.turns import finish_action
from engine.games.foreign_king.state import MOVE_TO, NO_STEP, PLACE_N, ForeignKingState, members

_HAND: Final = PROVINCE_COUNT
"""Index of the hand among destinations of a Move."""
_LONGEST: Final = max(max(row) for row in DISTANCE)
"""No two provinces are farther apart."""

_PLACE_LEGAL: Final = tuple(range(ids.PLACE, ids.PLACE + PROVINCE_COUNT))
_PLACE_N_LEGAL: Final = tuple(tuple(range(ids.PLACE_N, ids.PLACE_N + most)) for most in range(16))
_MOVE_FROM_LEGAL: Final = tuple(
    tuple(ids.MOVE_FROM + province for province in members(bit_set, PROVINCE_COUNT)) for bit_set in range(512)
)
_CONGRESS_LEGAL: Final = tuple(
    tuple(ids.CONGRESS_FROM + index for index in members(bit_set, PROVINCE_COUNT + 1)) for bit_set in range(1024)
)


def add_discs(state: ForeignKingState, colour: int, province: int, count: int) -> None:
    """Put discs of a colour into a province."""
    state.discs[colour * PROVINCE_COUNT + province] += count
    state.occupied[colour] |= 1 << province


def take_disc(state: ForeignKingState, colour: int, province: int) -> None:
    """Take one disc of a colour out of a province."""
    cell = colour * PROVINCE_COUNT + province
    left = state.discs[cell] - 1
    state.discs[cell] = left
    if left == 0:
        state.occupied[colour] &= ~(1 << province)


def is_occupied(state: ForeignKingState, province: int) -> bool:
    """Tell whether a disc of anybody lies in a province."""
    held = 0
    for provinces in state.occupied:
        held |= provinces
    return held >> province & 1 == 1


# Place (R6)


def legal_place(_state: ForeignKingState) -> tuple[int, ...]:
    """Return every province."""
    return _PLACE_LEGAL


def is_legal_place(_state: ForeignKingState, action: int) -> bool:
    """Tell whether a PLACE_P entry is legal."""
    return ids.PLACE <= action < ids.PLACE_N


def apply_place(state: ForeignKingState, action: int) -> None:
    """Choose the province."""
    state.province = action - ids.PLACE
    state.phase = PLACE_N


def _most_to_place(state: ForeignKingState) -> int:
    return min(state.hand[state.active], state.francs[state.active] + 1)


def legal_place_n(state: ForeignKingState) -> tuple[int, ...]:
    """Return how many discs may be placed: the first is free, each further one costs a Franc."""
    return _PLACE_N_LEGAL[_most_to_place(state)]


def is_legal_place_n(state: ForeignKingState, action: int) -> bool:
    """Tell whether a PLACE_N entry is legal."""
    return ids.PLACE_N <= action < ids.PLACE_N + _most_to_place(state)


def apply_place_n(state: ForeignKingState, action: int) -> None:
    """Place k discs of the hand for k - 1 Francs."""
    me = state.active
    count = action - ids.PLACE_N + 1
    state.hand[me] -= count
    state.francs[me] -= count - 1
    add_discs(state, me, state.province, count)
    finish_action(state)


# Move (R7)


def _destinations(source: int, budget: int, last: int, stop: bool) -> tuple[int, ...]:
    """Return the destinations within `budget` steps, none smaller than `last`, and MOVE_STOP if `stop` (K5)."""
    near = [q for q in range(last, PROVINCE_COUNT) if q != source and DISTANCE[source][q] <= budget]
    return (*(ids.MOVE_TO + q for q in near), ids.MOVE_OFF, *((ids.MOVE_STOP,) if stop else ()))


_FIRST_LEGAL: Final = tuple(
    tuple(_destinations(source, budget, 0, False) for budget in range(_LONGEST + 1)) for source in range(PROVINCE_COUNT)
)
"""`[source][budget]`"""
_NEXT_LEGAL: Final = tuple(
    tuple(
        tuple(_destinations(source, budget, last, True) for last in range(PROVINCE_COUNT + 1))
        for budget in range(_LONGEST + 1)
    )
    for source in range(PROVINCE_COUNT)
)
"""`[source][budget][last]`"""


def legal_move_from(state: ForeignKingState) -> tuple[int, ...]:
    """Return every province with an own disc."""
    return _MOVE_FROM_LEGAL[state.occupied[state.active]]


def is_legal_move_from(state: ForeignKingState, action: int) -> bool:
    """Tell whether a MOVE_FROM entry is legal."""
    return ids.MOVE_FROM <= action < ids.MOVE_TO and state.occupied[state.active] >> (action - ids.MOVE_FROM) & 1 == 1


def apply_move_from(state: ForeignKingState, action: int) -> None:
    """Choose the source."""
    state.province = action - ids.MOVE_FROM
    state.steps = 0
    state.last = NO_STEP
    state.phase = MOVE_TO


def _steps_left(state: ForeignKingState) -> int:
    """Return the steps left for the next disc: the first of the Move is free, each further one costs a Franc."""
    return state.francs[state.active] + 1 - state.steps


def legal_move_to(state: ForeignKingState) -> tuple[int, ...]:
    """Return where the next disc may go."""
    budget = min(_steps_left(state), _LONGEST)
    if state.steps == 0:
        return _FIRST_LEGAL[state.province][budget]
    return _NEXT_LEGAL[state.province][budget][state.last]


def is_legal_move_to(state: ForeignKingState, action: int) -> bool:
    """Tell whether a MOVE_TO entry is legal."""
    if action == ids.MOVE_STOP:
        return state.steps > 0
    if action == ids.MOVE_OFF:
        return True
    target = action - ids.MOVE_TO
    if not 0 <= target < PROVINCE_COUNT or target < state.last or target == state.province:
        return False
    return DISTANCE[state.province][target] <= _steps_left(state)


def apply_move_to(state: ForeignKingState, action: int) -> None:
    """Move one disc to another province."""
    me = state.active
    target = action - ids.MOVE_TO
    state.steps += DISTANCE[state.province][target]
    state.last = target
    take_disc(state, me, state.province)
    add_discs(state, me, target, 1)
    _go_on_moving(state)


def apply_move_off(state: ForeignKingState, _action: int) -> None:
    """Take one disc back to the hand, for one step."""
    me = state.active
    state.steps += 1
    state.last = _HAND
    take_disc(state, me, state.province)
    state.hand[me] += 1
    _go_on_moving(state)


def _go_on_moving(state: ForeignKingState) -> None:
    """End the Move by itself when the source is empty or the money is used up (K5)."""
    if state.steps - 1 >= state.francs[state.active] or not state.occupied[state.active] >> state.province & 1:
        apply_move_stop(state, ids.MOVE_STOP)


def apply_move_stop(state: ForeignKingState, _action: int) -> None:
    """End the Move, by MOVE_STOP or by itself, and pay it (K10)."""
    state.francs[state.active] -= state.steps - 1
    finish_action(state)


# Congress (R8)


def legal_congress(state: ForeignKingState) -> tuple[int, ...]:
    """Return every province with an own disc, and the hand (C24)."""
    return _CONGRESS_LEGAL[state.occupied[state.active] | (512 if state.hand[state.active] else 0)]


def is_legal_congress(state: ForeignKingState, action: int) -> bool:
    """Tell whether a CONGRESS entry is legal."""
    if action == ids.CONGRESS_FROM_HAND:
        return state.hand[state.active] > 0
    return (
        ids.CONGRESS_FROM <= action < ids.CONGRESS_FROM_HAND
        and state.occupied[state.active] >> (action - ids.CONGRESS_FROM) & 1 == 1
    )


def apply_congress_from(state: ForeignKingState, action: int) -> None:
    """Send a disc of a province to the Congress."""
    take_disc(state, state.active, action - ids.CONGRESS_FROM)
    state.congress[state.active] += 1
    finish_action(state)


def apply_congress_from_hand(state: ForeignKingState, _action: int) -> None:
    """Send a disc of the hand to the Congress."""
    state.hand[state.active] -= 1
    state.congress[state.active] += 1
    finish_action(state)
