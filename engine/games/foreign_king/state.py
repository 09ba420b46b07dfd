"""What lies on the table: the declared fields of a position, which the rules in `rules/` move. No I/O.

Colours are the seats in order and, with 2 seats, the virtual player after them (R14). Lists are flat and hold small
ints, so that a copy is quick and a compiler can keep them unboxed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.chance import Chance
from engine.core import PositionError
from engine.games.foreign_king import clones
from engine.games.foreign_king.actions import ACTIONS, LOAN, REPAY, SPACE_COUNT
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.options import OPTIONS, Options
from engine.kit.field_codecs import ListOf, Name, Number, Numbers, Optional, OptionsForm, SeatNumber, seat_count
from engine.kit.fields import FieldGroup, PositionForm, stated, unstated
from engine.kit.keyed_codecs import ByName, Columns, PackedCounts
from engine.kit.phases import KnownTable, PhasedState, PhaseTable
from engine.mypyc_support import give_methods

PHASES: Final = (
    *("TURN", "QUEEN_SUB", "BUILD", "PLACE_P", "PLACE_N", "MOVE_FROM", "MOVE_TO", "CONGRESS", "KING_TO", "KING_LEN"),
    *("CONGRESS_ASK", "INACTIVATE", "VIRT", "VIRT_TO", "POST", "ORDER", "END"),
)
"""As section 7 of the rules names them."""
TURN: Final = 0
QUEEN_SUB: Final = 1
BUILD: Final = 2
PLACE_P: Final = 3
PLACE_N: Final = 4
MOVE_FROM: Final = 5
MOVE_TO: Final = 6
CONGRESS: Final = 7
KING_TO: Final = 8
KING_LEN: Final = 9
CONGRESS_ASK: Final = 10
INACTIVATE: Final = 11
VIRT: Final = 12
VIRT_TO: Final = 13
POST: Final = 14
ORDER: Final = 15
END: Final = 16

VIRTUAL: Final = 2
"""Colour of the virtual player."""
FIRST_MARKER: Final = 30
FACTORIES_PER_TYPE: Final = 5
NO_PAWN: Final = -1
NO_STEP: Final = -1
LOAN_VALUE: Final = 3
REPAYMENT: Final = 4
ALL_FACTORIES: Final = 2 * FACTORIES_PER_TYPE
ACTIVE: Final = 63
"""Mask of the active factories in a packed province."""
FACTORIES: Final = PackedCounts("MTmt", bits=3, most=FACTORIES_PER_TYPE)
"""Metallurgical and textile factories of a province, active; then the same inactive."""
SUPPLY: Final = PackedCounts("MT", bits=3, most=FACTORIES_PER_TYPE)
_MOST: Final = 9999
"""No score and no purse is larger."""
_MOST_UNITS: Final = 44
"""45 VP in one scoring are the most (A42)."""


def colour_count(state: Any) -> int:
    """Return how many colours are in play: the seats, and the virtual player with 2 (R14)."""
    return max(seat_count(state), 3)


def discs_of(state: ForeignKingState, colour: int) -> int:
    """Return the discs of a colour beside its score marker and the one on the order track (R2, A38)."""
    if state.seats == 2:
        return state.options.virtual_discs if colour == VIRTUAL else 15
    return 14


def spaces_of(seats: int) -> int:
    """Return the bit set of the spaces that exist: the Queen with 4 seats, Change order with 3 and 4 (R11, R12)."""
    return 0x3F | (0x40 if seats == 4 else 0) | (0x80 if seats >= 3 else 0)


def _zeros(size: Callable[[Any], int]) -> Callable[[Any], list[int]]:
    return lambda state: [0] * size(state)


_PENDING: Final = FieldGroup("pending")
"""What the phase needs beyond the table."""


def _in_phases(*phases: int) -> Callable[[Any], bool]:
    return lambda state: state.phase in phases


TABLE: Final = KnownTable()
"""What is done in each phase, as `rules/phases.py` says."""


@dataclass(slots=True, init=False, eq=False, repr=False)
class ForeignKingState(PhasedState):
    """A position of The Foreign King. Nothing in it is hidden (A19)."""

    seats: int = stated(Number(2, 4))
    options: Options = stated(OptionsForm(OPTIONS))
    phase: int = stated(Name(PHASES), start=TURN)
    decider: int | None = stated(Optional(SeatNumber()), key="seat", start=0)
    active: int = stated(SeatNumber(), start=0)
    """Whose turn it is; in ORDER the claimant."""
    round: int = stated(Number(1, lambda state: state.options.max_rounds), start=1)
    order: tuple[int, ...] = stated(
        ListOf(SeatNumber(), size=seat_count, distinct=True, kind=tuple), start=lambda state: tuple(range(state.seats))
    )
    """Seats in turn order; seat 0 starts (K4)."""
    turn: int = unstated(0)
    """Place of the turn within its round, 0-based."""
    king: int = stated(Name((*PROVINCES, "portrait")), start=PORTRAIT)
    marker: int = stated(Number(0, FIRST_MARKER), start=FIRST_MARKER)

    scores: list[int] = stated(Numbers(colour_count, _MOST), start=_zeros(colour_count))
    second_score: int = unstated(0)
    """Second entry of the sorted scores (A6)."""
    hand: list[int] = stated(
        Numbers(colour_count, 16), start=lambda s: [discs_of(s, colour) for colour in range(colour_count(s))]
    )
    congress: list[int] = stated(Numbers(seat_count, 16), start=_zeros(seat_count))
    discs: list[int] = stated(
        Columns(PROVINCES, colour_count, 16), start=lambda state: [0] * (colour_count(state) * PROVINCE_COUNT)
    )
    """`discs[colour * 9 + province]`."""
    occupied: list[int] = unstated(_zeros(colour_count))
    """Per colour the bit set of the provinces with one of its discs."""

    francs: list[int] = stated(Numbers(seat_count, _MOST), start=lambda s: [5 + seat for seat in range(s.seats)])
    medals: list[int] = stated(Numbers(seat_count, PROVINCE_COUNT), start=_zeros(seat_count))
    """Per seat, either side up (A54)."""
    loans: list[int] = stated(Numbers(seat_count, PROVINCE_COUNT), start=_zeros(seat_count))
    """Medals face down (R13)."""
    pawns: list[int] = stated(
        ListOf(Optional(Name(ACTIONS.names[:SPACE_COUNT]), NO_PAWN), size=seat_count),
        start=lambda state: [NO_PAWN] * state.seats,
    )
    """Space of each pawn, or NO_PAWN (A29)."""
    free_spaces: int = unstated(lambda state: spaces_of(state.seats))
    """Bit set of the spaces that exist and bear no pawn (R4)."""
    factories: list[int] = stated(ByName(PROVINCES, FACTORIES), start=lambda _: [0] * PROVINCE_COUNT)
    """Per province, packed: active M + 8 * active T + 64 * inactive M + 512 * inactive T."""
    inactive_count: int = unstated(0)
    """Inactive factories on the map."""
    supply: int = stated(SUPPLY, start=FACTORIES_PER_TYPE * 9)
    """Factories not yet built, packed: M + 8 * T."""
    claims: tuple[int, ...] = stated(
        ListOf(SeatNumber(), most=lambda state: state.seats - 2, distinct=True, kind=tuple), start=()
    )
    """Seats that may still change the order this round, in the order of their claims (A26)."""

    asked: tuple[int, ...] = stated(
        ListOf(SeatNumber(), most=seat_count, kind=tuple), start=(), group=_PENDING, when=_in_phases(CONGRESS_ASK)
    )
    """Who is still to be asked, the decider first."""
    units: int = stated(Number(1, _MOST_UNITS), start=0, group=_PENDING, when=_in_phases(VIRT, VIRT_TO))
    """Units left, the one in hand included."""
    province: int = stated(
        Name(PROVINCES), start=0, group=_PENDING, when=_in_phases(PLACE_N, KING_LEN, MOVE_TO, VIRT_TO)
    )
    """PLACE_N, KING_LEN: the destination. MOVE_TO, VIRT_TO: the source."""
    steps: int = stated(Number(0, _MOST), start=0, group=_PENDING, when=_in_phases(MOVE_TO))
    """Steps made so far; paid when the Move ends (K10)."""
    last: int = stated(
        Optional(Name((*PROVINCES, "hand")), NO_STEP), start=NO_STEP, group=_PENDING, when=_in_phases(MOVE_TO)
    )
    """The last destination, NO_STEP before the first; the next is not smaller (K5)."""
    post: int = stated(
        Optional(Name({"LOAN": LOAN, "REPAY": REPAY}), 0), key="used", start=0, group=_PENDING, when=_in_phases(POST)
    )
    """LOAN or REPAY once one was used in POST, else 0 (K1)."""
    legal: Sequence[int] | None = unstated(None, derived=False)

    def table(self) -> PhaseTable:
        return TABLE.table

    def clone(self, chance: Chance | None = None) -> ForeignKingState:
        return clones.clone_foreign_king_state(self, chance)

    def to_json(self) -> dict[str, Any]:
        return POSITION.write(self)


give_methods(ForeignKingState, clone=clones.clone_foreign_king_state)


def _derive(state: ForeignKingState) -> None:
    state.turn = state.seats - 1 if state.phase == ORDER else state.order.index(state.active)
    state.second_score = sorted(state.scores)[-2]
    state.occupied = [bits(_row(state, colour)) for colour in range(colour_count(state))]
    state.inactive_count = sum(factories_in(packed >> 6) for packed in state.factories)
    state.free_spaces = spaces_of(state.seats)
    for space in (space for space in state.pawns if space != NO_PAWN):
        if not state.free_spaces >> space & 1:
            name = ACTIONS.names[space]
            raise PositionError(f"pawns: {name} is taken twice or does not exist with {state.seats} seats")
        state.free_spaces &= ~(1 << space)


def _row(state: ForeignKingState, colour: int) -> list[int]:
    return state.discs[colour * PROVINCE_COUNT : (colour + 1) * PROVINCE_COUNT]


def _check(state: ForeignKingState) -> None:
    """Raise PositionError unless discs, factories, medals and Francs add up (section 6)."""
    for colour in range(colour_count(state)):
        in_congress = state.congress[colour] if colour < state.seats else 0
        found, expected = state.hand[colour] + in_congress + sum(_row(state, colour)), discs_of(state, colour)
        if found != expected:
            raise PositionError(f"colour {colour} has {found} discs in hand, Congress and provinces, not {expected}")
    for key, shift in (("M", 0), ("T", 3)):
        built = sum((packed >> shift & 7) + (packed >> shift + 6 & 7) for packed in state.factories)
        found = (state.supply >> shift & 7) + built
        if found != FACTORIES_PER_TYPE:
            raise PositionError(f"there are {found} factories of type {key}, not {FACTORIES_PER_TYPE}")
    if any(down > held for held, down in zip(state.medals, state.loans, strict=True)):
        raise PositionError("loans: a seat has more open loans than medals")
    held, industrialized = sum(state.medals), sum(packed > 0 for packed in state.factories)
    if held != industrialized:
        raise PositionError(f"the seats hold {held} medals, but {industrialized} provinces have a factory (A32)")
    if state.options.bank is not None and sum(state.francs) > state.options.bank:
        raise PositionError(f"francs: {sum(state.francs)} in all, but the bank option says {state.options.bank}")


POSITION: Final = PositionForm(ForeignKingState, "foreign_king", version=1, derive=_derive, check=_check)


def bits(counts: Sequence[int]) -> int:
    """Return the bit set of the places with a count above 0."""
    total = 0
    for place, count in enumerate(counts):
        if count:
            total |= 1 << place
    return total


def members(bit_set: int, size: int) -> tuple[int, ...]:
    """Return the members of a bit set below `size`, ascending."""
    return tuple(index for index in range(size) if bit_set >> index & 1)


def factories_in(packed: int) -> int:
    """Return the number of factories of a packed province, active or not."""
    return (packed & 7) + (packed >> 3 & 7) + (packed >> 6 & 7) + (packed >> 9)
