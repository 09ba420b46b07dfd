"""What programs that learn see of a position, as numbers for each province: `FEATURED`. Nothing is hidden (A19)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from engine.features import Featured, FeaturePart, cells, flags, masks, numbers, packed, per_member, per_seat
from engine.games.foreign_king.actions import LOAN, REPAY, SPACES
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.options import Options
from engine.games.foreign_king.state import (
    CONGRESS_ASK,
    FACTORIES_PER_TYPE,
    FIRST_MARKER,
    KING_LEN,
    MOVE_TO,
    NO_PAWN,
    NO_STEP,
    PHASES,
    PLACE_N,
    POST,
    VIRT,
    VIRT_TO,
    ForeignKingState,
)

_DISCS: Final = 16
_MONEY: Final = 200
_POINTS: Final = 400
_PLACES: Final = (*(1 << place for place in range(PROVINCE_COUNT)), 0)
"""Bit sets of a province alone; none for the King's portrait, and for -1."""
_WITH_PROVINCE: Final = frozenset({PLACE_N, KING_LEN, MOVE_TO, VIRT_TO})
_WITH_UNITS: Final = frozenset({VIRT, VIRT_TO})
_USED: Final = {0: 0, LOAN: 1, REPAY: 2}


def parts(seats: int, options: Options) -> Sequence[FeaturePart]:
    """Return what the planes are; with 2 seats the virtual player has planes behind theirs."""
    table = per_seat(seats)
    colours = table if seats > 2 else (*table, ":virtual")
    return (
        cells("discs", "discs of the seat, or of the virtual player, in the province", _DISCS, colours),
        packed(
            "factories",
            "factories of the province: active metallurgical and textile ones, and the same inactive",
            FACTORIES_PER_TYPE,
            per_member(("M", "T", "m", "t")),
            bits=3,
        ),
        masks("king", "where the King stands; nowhere before his first move"),
        masks("place", "the province that the phase is about: a destination, or the source of what moves"),
        masks("last", "where the last disc of the Move under way went; nowhere for the hand"),
        numbers("marker", "the marker of the track, down to 0", FIRST_MARKER),
        numbers("round", "the round, from 1", options.max_rounds),
        numbers("units", "the King's units that are left", 44),
        numbers("steps", "steps of the Move under way so far", 99),
        numbers("supply", "metallurgical and textile factories not yet built", 5, per_member(("M", "T"))),
        numbers("score", "victory points", _POINTS, colours),
        numbers("hand", "discs in hand; the supply of the virtual player", _DISCS, colours),
        numbers("congress", "discs in Congress", _DISCS, table),
        numbers("francs", "Francs", _MONEY, table),
        numbers("medals", "medals held, either side up", PROVINCE_COUNT, table),
        numbers("loans", "open loans", PROVINCE_COUNT, table),
        numbers("order", "place in the turn order, from 1", seats, table),
        numbers("claim", "place among those who may still change the order, from 1; 0 is none", seats, table),
        flags("phase", "the phase", per_member(PHASES)),
        flags("seat", "the seat that looks, by its number", per_member([str(seat) for seat in range(seats)])),
        flags("decides", "who decides; nobody at the end", table),
        flags("turn", "whose turn it is", table),
        flags("asked", "who is still to be asked about the Congress", table),
        flags("used", "what was used after the turn", per_member(("LOAN", "REPAY"))),
        flags("moved", "whether the last disc of the Move under way went to the hand"),
        *(flags(f"pawn{ending}", "where the seat's pawn stands", per_member(SPACES)) for ending in table),
    )


def numbers_of(state: ForeignKingState, seat: int) -> Sequence[int]:
    """Return the numbers of the planes, those of seats from the one that looks on."""
    seats, discs, phase, supply = state.seats, state.discs, state.phase, state.supply
    scores, hand, congress, francs = state.scores, state.hand, state.congress, state.francs
    medals, loans, pawns = state.medals, state.loans, state.pawns
    first, behind = seat * PROVINCE_COUNT, seats * PROVINCE_COUNT
    decider, spaces = state.decider, [0 if pawn == NO_PAWN else 1 << pawn for pawn in pawns]
    # What a phase needs is out of date in the other phases, where nobody may see it.
    last = state.last if phase == MOVE_TO else NO_STEP
    return [
        *discs[first:behind],
        *discs[:first],
        *discs[behind:],
        *state.factories,
        _PLACES[state.king],
        _PLACES[state.province] if phase in _WITH_PROVINCE else 0,
        _PLACES[last],
        state.marker,
        state.round,
        state.units if phase in _WITH_UNITS else 0,
        state.steps if phase == MOVE_TO else 0,
        supply & 7,
        supply >> 3,
        *scores[seat:seats],
        *scores[:seat],
        *scores[seats:],
        *hand[seat:seats],
        *hand[:seat],
        *hand[seats:],
        *congress[seat:],
        *congress[:seat],
        *francs[seat:],
        *francs[:seat],
        *medals[seat:],
        *medals[:seat],
        *loans[seat:],
        *loans[:seat],
        *_places_in(state.order, seat, seats),
        *_places_in(state.claims, seat, seats),
        1 << phase,
        1 << seat,
        0 if decider is None else 1 << (decider - seat) % seats,
        1 << (state.active - seat) % seats,
        sum(1 << (other - seat) % seats for other in state.asked) if phase == CONGRESS_ASK else 0,
        _USED[state.post] if phase == POST else 0,
        int(last == PROVINCE_COUNT),
        *spaces[seat:],
        *spaces[:seat],
    ]


@cache
def _places_in(row: tuple[int, ...], seat: int, seats: int) -> tuple[int, ...]:
    """Return the place of each seat in a row of seats, from 1; 0 is none."""
    found = (other % seats for other in range(seat, seat + seats))
    return tuple(row.index(other) + 1 if other in row else 0 for other in found)


FEATURED: Final = Featured(board=lambda _seats, _options: (PROVINCE_COUNT,), parts=parts, numbers=numbers_of)
