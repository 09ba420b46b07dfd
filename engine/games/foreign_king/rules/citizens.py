"""Discs: Place, Move, Congress (R6-R8, A35-A37, K5, K10)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import DISTANCE, PROVINCE_COUNT
from engine.games.foreign_king.rules.flow import finish_action
from engine.games.foreign_king.rules.turn import choose
from engine.games.foreign_king.state import CONGRESS, MOVE_FROM, MOVE_TO, PLACE_N, PLACE_P, Position, members

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


def add_discs(s: Position, colour: int, province: int, count: int) -> None:
    """Put discs of a colour into a province."""
    s.discs[colour * PROVINCE_COUNT + province] += count
    s.occupied[colour] |= 1 << province


def take_disc(s: Position, colour: int, province: int) -> None:
    """Take one disc of a colour out of a province."""
    cell = colour * PROVINCE_COUNT + province
    left = s.discs[cell] - 1
    s.discs[cell] = left
    if left == 0:
        s.occupied[colour] &= ~(1 << province)


# Place (R6)


def apply_act_place(s: Position, action: int) -> None:
    """ACT_PLACE."""
    choose(s, action)
    s.phase = PLACE_P


def place_legal(_s: Position) -> tuple[int, ...]:
    """Any province."""
    return _PLACE_LEGAL


def place_is_legal(_s: Position, action: int) -> bool:
    """Whether a PLACE_P entry is legal."""
    return ids.PLACE <= action < ids.PLACE_N


def apply_place(s: Position, action: int) -> None:
    """PLACE: the province."""
    s.province = action - ids.PLACE
    s.phase = PLACE_N


def _most_to_place(s: Position) -> int:
    return min(s.hand[s.active], s.francs[s.active] + 1)


def place_n_legal(s: Position) -> tuple[int, ...]:
    """How many: the first is free, each further one costs a Franc."""
    return _PLACE_N_LEGAL[_most_to_place(s)]


def place_n_is_legal(s: Position, action: int) -> bool:
    """Whether a PLACE_N entry is legal."""
    return ids.PLACE_N <= action < ids.PLACE_N + _most_to_place(s)


def apply_place_n(s: Position, action: int) -> None:
    """PLACE_N: the discs leave the hand, k - 1 Francs are paid."""
    me = s.active
    count = action - ids.PLACE_N + 1
    s.hand[me] -= count
    s.francs[me] -= count - 1
    add_discs(s, me, s.province, count)
    finish_action(s)


# Move (R7)


def _destinations(source: int, budget: int, last: int, stop: bool) -> tuple[int, ...]:
    """Destinations at most `budget` steps away, none smaller than the last one, and MOVE_STOP after the first (K5)."""
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


def apply_act_move(s: Position, action: int) -> None:
    """ACT_MOVE."""
    choose(s, action)
    s.phase = MOVE_FROM


def move_from_legal(s: Position) -> tuple[int, ...]:
    """Any province with an own disc."""
    return _MOVE_FROM_LEGAL[s.occupied[s.active]]


def move_from_is_legal(s: Position, action: int) -> bool:
    """Whether a MOVE_FROM entry is legal."""
    return ids.MOVE_FROM <= action < ids.MOVE_TO and s.occupied[s.active] >> (action - ids.MOVE_FROM) & 1 == 1


def apply_move_from(s: Position, action: int) -> None:
    """MOVE_FROM: the source."""
    s.province = action - ids.MOVE_FROM
    s.steps = 0
    s.last = 0
    s.phase = MOVE_TO


def _steps_left(s: Position) -> int:
    """Steps the next disc may make: the first of the Move is free, each further one costs a Franc."""
    return s.francs[s.active] + 1 - s.steps


def move_to_legal(s: Position) -> tuple[int, ...]:
    """Where the next disc may go."""
    budget = min(_steps_left(s), _LONGEST)
    if s.steps == 0:
        return _FIRST_LEGAL[s.province][budget]
    return _NEXT_LEGAL[s.province][budget][s.last]


def move_to_is_legal(s: Position, action: int) -> bool:
    """Whether a MOVE_TO entry is legal."""
    if action == ids.MOVE_STOP:
        return s.steps > 0
    if action == ids.MOVE_OFF:
        return True
    target = action - ids.MOVE_TO
    if not s.last <= target < PROVINCE_COUNT or target == s.province:
        return False
    return DISTANCE[s.province][target] <= _steps_left(s)


def apply_move_to(s: Position, action: int) -> None:
    """MOVE_TO: one disc to another province."""
    me = s.active
    target = action - ids.MOVE_TO
    s.steps += DISTANCE[s.province][target]
    s.last = target
    take_disc(s, me, s.province)
    add_discs(s, me, target, 1)
    _go_on_moving(s)


def apply_move_off(s: Position, _action: int) -> None:
    """MOVE_OFF: one disc back to the hand, one step."""
    me = s.active
    s.steps += 1
    s.last = _HAND
    take_disc(s, me, s.province)
    s.hand[me] += 1
    _go_on_moving(s)


def _go_on_moving(s: Position) -> None:
    """The Move ends by itself when the source is empty or the money is used up (K5)."""
    if s.steps - 1 >= s.francs[s.active] or not s.occupied[s.active] >> s.province & 1:
        apply_move_stop(s, ids.MOVE_STOP)


def apply_move_stop(s: Position, _action: int) -> None:
    """The Move ends, by MOVE_STOP or by itself, and is paid (K10)."""
    s.francs[s.active] -= s.steps - 1
    finish_action(s)


# Congress (R8)


def apply_act_congress(s: Position, action: int) -> None:
    """ACT_CONGRESS."""
    choose(s, action)
    s.phase = CONGRESS


def congress_legal(s: Position) -> tuple[int, ...]:
    """From a province with an own disc, or from the hand (C24)."""
    return _CONGRESS_LEGAL[s.occupied[s.active] | (512 if s.hand[s.active] else 0)]


def congress_is_legal(s: Position, action: int) -> bool:
    """Whether a CONGRESS entry is legal."""
    if action == ids.CONGRESS_FROM_HAND:
        return s.hand[s.active] > 0
    return (
        ids.CONGRESS_FROM <= action < ids.CONGRESS_FROM_HAND
        and s.occupied[s.active] >> (action - ids.CONGRESS_FROM) & 1 == 1
    )


def apply_congress_from(s: Position, action: int) -> None:
    """CONGRESS_FROM: a disc of a province."""
    take_disc(s, s.active, action - ids.CONGRESS_FROM)
    s.congress[s.active] += 1
    finish_action(s)


def apply_congress_from_hand(s: Position, _action: int) -> None:
    """CONGRESS_FROM_HAND: a disc of the hand."""
    s.hand[s.active] -= 1
    s.congress[s.active] += 1
    finish_action(s)
