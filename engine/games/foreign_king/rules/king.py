"""The King: his walk, the Congress, scoring, switching a factory off (R10, A1-A15, K2, K9, K10, K17)."""

from __future__ import annotations

from typing import Final

from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import LONGEST_WALK, PORTRAIT, PROVINCE_COUNT, WALK_LENGTHS
from engine.games.foreign_king.rules.citizens import add_discs
from engine.games.foreign_king.rules.flow import finish_action
from engine.games.foreign_king.rules.majority import NOBODY, majority
from engine.games.foreign_king.rules.turn import choose
from engine.games.foreign_king.state import (
    CONGRESS_ASK,
    INACTIVATE,
    KING_LEN,
    KING_TO,
    VIRT,
    VIRTUAL,
    Position,
)

_METAL_POINTS: Final = 6
_TEXTILE_POINTS: Final = 3
_DISCS_PER_POINT: Final = 3
ACTIVE: Final = 63
"""Mask of the active factories in a packed province."""


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
_TO_LEGAL: Final = (
    *(tuple(_ends(start, longest) for longest in range(LONGEST_WALK + 1)) for start in range(PROVINCE_COUNT)),
    (_ANYWHERE,) * (LONGEST_WALK + 1),
)
"""`[start or PORTRAIT][longest walk]`"""
_INACT_LEGAL: Final = tuple(
    (ids.INACT_NONE, *((ids.INACT_METAL,) if kinds & 1 else ()), *((ids.INACT_TEXTILE,) if kinds & 2 else ()))
    for kinds in range(4)
)


def apply_act_king(s: Position, action: int) -> None:
    """ACT_KING."""
    choose(s, action)
    s.phase = KING_TO


def _longest_walk(s: Position) -> int:
    """Steps the King may make: n of them cost n - 1 Francs."""
    return min(s.francs[s.active] + 1, LONGEST_WALK)


def king_to_legal(s: Position) -> tuple[int, ...]:
    """From the portrait anywhere, else where a payable walk ends (C5)."""
    return _TO_LEGAL[s.king][_longest_walk(s)]


def king_to_is_legal(s: Position, action: int) -> bool:
    """Whether a KING_TO entry is legal."""
    if not ids.KING_TO <= action < ids.KING_LEN:
        return False
    return s.king == PORTRAIT or bool(_LEN_LEGAL[s.king][action - ids.KING_TO][_longest_walk(s)])


def apply_king_to(s: Position, action: int) -> None:
    """KING_TO: from the portrait he is there, free, marker -1 (A3); else the length is asked."""
    if s.king == PORTRAIT:
        _arrive(s, action - ids.KING_TO, 1)
    else:
        s.province = action - ids.KING_TO
        s.phase = KING_LEN


def king_len_legal(s: Position) -> tuple[int, ...]:
    """The payable lengths of walks to the chosen province (A2)."""
    return _LEN_LEGAL[s.king][s.province][_longest_walk(s)]


def king_len_is_legal(s: Position, action: int) -> bool:
    """Whether a KING_LEN entry is legal."""
    steps = action - ids.KING_LEN + 1
    return 1 <= steps <= _longest_walk(s) and steps in WALK_LENGTHS[s.king][s.province]


def apply_king_len(s: Position, action: int) -> None:
    """KING_LEN: n - 1 Francs, the King moves, marker -(n + 1) (A1)."""
    steps = action - ids.KING_LEN + 1
    s.francs[s.active] -= steps - 1
    _arrive(s, s.province, steps + 1)


def _arrive(s: Position, province: int, drop: int) -> None:
    """The King stands; an empty province ends the action unless the Congress may come (A7)."""
    s.king = province
    s.marker = max(0, s.marker - drop)  # A5
    if not s.options.congress_on_empty and not any(s.discs[province::PROVINCE_COUNT]):
        finish_action(s)
        return
    ranked = ranked_congress(s)
    if ranked:
        s.asked = ranked
        s.to_act = ranked[0]
        s.phase = CONGRESS_ASK
    else:
        _score(s)


def ranked_congress(s: Position) -> tuple[int, ...]:
    """Who is asked, most discs first, ties by the track as it stands (A14, A15); with 2 seats nobody at a tie (K9)."""
    congress = s.congress
    present = [seat for seat in s.order if congress[seat]]
    if s.seats == 2 and len(present) == 2 and congress[0] == congress[1]:
        return ()
    present.sort(key=congress.__getitem__, reverse=True)  # stable: ties stay in turn order
    return tuple(present)


def ask_is_legal(_s: Position, action: int) -> bool:
    """Whether a CONGRESS_ASK entry is legal."""
    return action == ids.CONGRESS_GO or action == ids.CONGRESS_STAY


def apply_go(s: Position, _action: int) -> None:
    """CONGRESS_GO: all his discs there come, nobody else is asked."""
    seat = s.asked[0]
    s.asked = ()
    add_discs(s, seat, s.king, s.congress[seat])
    s.congress[seat] = 0
    _score(s)


def apply_stay(s: Position, _action: int) -> None:
    """CONGRESS_STAY: the next one is asked."""
    s.asked = s.asked[1:]
    if s.asked:
        s.to_act = s.asked[0]
    else:
        _score(s)


def _score(s: Position) -> None:
    """Score the King's province (A9-A12)."""
    province = s.king
    packed = s.factories[province]
    active = packed & ACTIVE
    winner = majority(s, province)
    if winner == NOBODY:
        if active and any(s.discs[province::PROVINCE_COUNT]):  # K2, A8, K17
            s.phase = INACTIVATE
            s.to_act = s.active
        else:
            finish_action(s)
        return
    if active:
        points = _METAL_POINTS * (active & 7) + _TEXTILE_POINTS * (active >> 3)
        s.factories[province] = ((packed >> 6) + active) << 6
        s.inactive_count += (active & 7) + (active >> 3)
    else:
        points = s.discs[winner * PROVINCE_COUNT + province] // _DISCS_PER_POINT
    _gain(s, winner, points)


def _gain(s: Position, colour: int, points: int) -> None:
    """Write points in play; with 2 seats the opponent of a scoring seat answers with the virtual player (R14, A40)."""
    s.scores[colour] += points
    s.second_score = sorted(s.scores)[-2]
    if s.seats == 2 and points >= 2 and colour != VIRTUAL:
        s.units = points - 1
        s.to_act = 1 - colour
        s.phase = VIRT
    else:
        finish_action(s)


def inactivate_legal(s: Position) -> tuple[int, ...]:
    """Nothing, or one factory of a type that is active there (A12)."""
    active = s.factories[s.king] & ACTIVE
    return _INACT_LEGAL[(active & 7 > 0) + 2 * (active > 7)]


def inactivate_is_legal(s: Position, action: int) -> bool:
    """Whether an INACTIVATE entry is legal."""
    active = s.factories[s.king] & ACTIVE
    if action == ids.INACT_METAL:
        return active & 7 > 0
    if action == ids.INACT_TEXTILE:
        return active > 7
    return action == ids.INACT_NONE


def apply_inact_none(s: Position, _action: int) -> None:
    """INACT_NONE."""
    finish_action(s)


def apply_inact(s: Position, action: int) -> None:
    """INACT_METAL, INACT_TEXTILE: one factory is turned over for good."""
    one = 1 if action == ids.INACT_METAL else 8
    s.factories[s.king] += one * 64 - one
    s.inactive_count += 1
    finish_action(s)
