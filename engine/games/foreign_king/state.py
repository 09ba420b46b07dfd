"""The fields of a position, and nothing that moves them: the rules in `rules/` do. No I/O.

Colours are the seats in order and, with 2 seats, the virtual player after them (R14). Lists are flat and hold small
ints, so that a copy is quick and a compiler can keep them unboxed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.chance import Chance
from engine.core import Outcome, State
from engine.games.foreign_king import actions as ids
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT
from engine.games.foreign_king.options import Options

# Phases, as section 7 of the rules names them. END comes last.
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

PHASES: Final = (
    *("TURN", "QUEEN_SUB", "BUILD", "PLACE_P", "PLACE_N", "MOVE_FROM", "MOVE_TO", "CONGRESS", "KING_TO", "KING_LEN"),
    *("CONGRESS_ASK", "INACTIVATE", "VIRT", "VIRT_TO", "POST", "ORDER", "END"),
)

VIRTUAL: Final = 2
"""Colour of the virtual player."""
FIRST_MARKER: Final = 30
FACTORIES_PER_TYPE: Final = 5
NO_PAWN: Final = -1


class Position(State):
    """What lies on the table. Abstract: `state.ForeignKingState` adds how to act on it."""

    __slots__ = (
        "_legal",
        "active",
        "asked",
        "claims",
        "congress",
        "discs",
        "factories",
        "francs",
        "free_spaces",
        "hand",
        "inactive_count",
        "king",
        "last",
        "loans",
        "marker",
        "medals_up",
        "occupied",
        "options",
        "order",
        "pawns",
        "phase",
        "post",
        "province",
        "round",
        "scores",
        "seats",
        "second_score",
        "steps",
        "supply_m",
        "supply_t",
        "to_act",
        "turn",
        "units",
    )

    options: Options
    seats: int
    phase: int
    to_act: int | None
    """Who decides; None at the end."""
    active: int
    """Whose turn it is; in ORDER the claimant."""
    round: int
    order: tuple[int, ...]
    """Seats in turn order."""
    turn: int
    """Place of the turn within its round, 0-based."""
    king: int
    """Province, or PORTRAIT."""
    marker: int
    second_score: int
    """Second entry of the sorted scores (A6); follows from `scores`."""

    # Per colour.
    scores: list[int]
    hand: list[int]
    congress: list[int]
    discs: list[int]
    """`discs[colour * 9 + province]`."""
    occupied: list[int]
    """Bit set of the provinces with a disc of that colour; follows from `discs`."""

    # Per seat.
    francs: list[int]
    medals_up: list[int]
    loans: list[int]
    """Medals face down (R13)."""
    pawns: list[int]
    """Space of each pawn, or NO_PAWN (A29)."""
    free_spaces: int
    """Bit set of the spaces that exist and bear no pawn (R4); follows from `seats` and `pawns`."""

    factories: list[int]
    """Per province, packed: active M + 8 * active T + 64 * inactive M + 512 * inactive T."""
    supply_m: int
    supply_t: int
    inactive_count: int
    """Inactive factories on the map; follows from `factories`."""
    claims: tuple[int, ...]
    """Seats that may still change the order this round, in the order of their claims (A26)."""

    # What the phase needs beyond that; 0 or () where it does not.
    province: int
    """PLACE_N, KING_LEN: the destination. MOVE_TO, VIRT_TO: the source."""
    steps: int
    """MOVE_TO: steps made so far; paid when the Move ends (K10)."""
    last: int
    """MOVE_TO: index of the last destination, 9 for the hand; the next is not smaller (K5)."""
    asked: tuple[int, ...]
    """CONGRESS_ASK: who is still to be asked, the decider first."""
    units: int
    """VIRT, VIRT_TO: units left, the one in hand included."""
    post: int
    """POST: LOAN or REPAY once one was used in it, else 0 (K1)."""

    _legal: Sequence[int] | None


def bits(values: Sequence[int]) -> int:
    """The bit set of small ints."""
    total = 0
    for value in values:
        total |= 1 << value
    return total


def members(bit_set: int, size: int) -> tuple[int, ...]:
    """The members of a bit set below `size`, ascending."""
    return tuple(index for index in range(size) if bit_set >> index & 1)


def spaces_of(seats: int) -> int:
    """Bit set of the spaces that exist: the Queen with 4 seats, Change order with 3 and 4 (R11, R12)."""
    return 0x3F | (0x40 if seats == 4 else 0) | (0x80 if seats >= 3 else 0)


def colours_of(seats: int) -> int:
    """Colours in play: the seats, and the virtual player with 2 (R14)."""
    return max(seats, 3)


def discs_of(seats: int, colour: int, options: Options) -> int:
    """Discs of a colour beside its score marker and the one on the order track (R2, A38)."""
    if seats == 2:
        return options.virtual_discs if colour == VIRTUAL else 15
    return 14


def set_up(position: Position, seats: int, options: Options) -> None:
    """Lay out a new game (R2); seat 0 is first in the order (K4)."""
    colours = colours_of(seats)
    position.options = options
    position.seats = seats
    position.phase = TURN
    position.to_act = 0
    position.active = 0
    position.round = 1
    position.order = tuple(range(seats))
    position.turn = 0
    position.king = PORTRAIT
    position.marker = FIRST_MARKER
    position.second_score = 0
    position.scores = [0] * colours
    position.hand = [discs_of(seats, colour, options) for colour in range(colours)]
    position.congress = [0] * colours
    position.discs = [0] * (colours * PROVINCE_COUNT)
    position.occupied = [0] * colours
    position.francs = [5 + seat for seat in range(seats)]
    position.medals_up = [0] * seats
    position.loans = [0] * seats
    position.pawns = [NO_PAWN] * seats
    position.free_spaces = spaces_of(seats)
    position.factories = [0] * PROVINCE_COUNT
    position.supply_m = FACTORIES_PER_TYPE
    position.supply_t = FACTORIES_PER_TYPE
    position.inactive_count = 0
    position.claims = ()
    clear_pending(position)
    position._legal = None


def clear_pending(position: Position) -> None:
    """Forget what earlier phases needed."""
    position.province = 0
    position.steps = 0
    position.last = 0
    position.asked = ()
    position.units = 0
    position.post = 0


# The tables of the rules need the class above.
from engine.games.foreign_king import scoring  # noqa: E402
from engine.games.foreign_king.position_json import write_position  # noqa: E402
from engine.games.foreign_king.rules import APPLY, IS_LEGAL, LEGAL  # noqa: E402

_CARETAKER = (ids.CONGRESS_STAY, ids.INACT_NONE, ids.MOVE_STOP, ids.END_TURN)


class ForeignKingState(Position):
    """A position of The Foreign King. Nothing in it is hidden (A19)."""

    __slots__ = ()

    def seat(self) -> int | None:
        """See `State`."""
        return self.to_act

    def legal_actions(self) -> Sequence[int]:
        """See `State`; computed once per decision."""
        legal = self._legal
        if legal is None:
            legal = self._legal = LEGAL[self.phase](self)
        return legal

    def is_legal(self, action: int) -> bool:
        """See `State`."""
        return IS_LEGAL[self.phase](self, action)

    def apply_unchecked(self, action: int) -> None:
        """See `State`."""
        self._legal = None
        APPLY[action](self, action)

    def clone(self, chance: Chance | None = None) -> ForeignKingState:
        """See `State`; the game draws nothing after the deal of seats, so `chance` is not kept."""
        del chance
        new = ForeignKingState.__new__(ForeignKingState)
        new._legal = self._legal
        new.active = self.active
        new.asked = self.asked
        new.claims = self.claims
        new.congress = self.congress[:]
        new.discs = self.discs[:]
        new.factories = self.factories[:]
        new.francs = self.francs[:]
        new.free_spaces = self.free_spaces
        new.hand = self.hand[:]
        new.inactive_count = self.inactive_count
        new.king = self.king
        new.last = self.last
        new.loans = self.loans[:]
        new.marker = self.marker
        new.medals_up = self.medals_up[:]
        new.occupied = self.occupied[:]
        new.options = self.options
        new.order = self.order
        new.pawns = self.pawns[:]
        new.phase = self.phase
        new.post = self.post
        new.province = self.province
        new.round = self.round
        new.scores = self.scores[:]
        new.seats = self.seats
        new.second_score = self.second_score
        new.steps = self.steps
        new.supply_m = self.supply_m
        new.supply_t = self.supply_t
        new.to_act = self.to_act
        new.turn = self.turn
        new.units = self.units
        return new

    def outcome(self) -> Outcome | None:
        """See `State`."""
        return scoring.outcome(self) if self.phase == END else None

    def caretaker_action(self) -> int:
        """Stay out, stop, end; in TURN take coins; else the first legal entry."""
        legal = self.legal_actions()
        if self.phase == TURN and ids.ACT_COINS in legal:
            return ids.ACT_COINS
        return next((action for action in _CARETAKER if action in legal), legal[0])

    def to_json(self) -> dict[str, Any]:
        """See `State`; the keys are documented in the manual."""
        return write_position(self)

    def observation_json(self, seat: int) -> dict[str, Any]:
        """See `State`: the whole position."""
        del seat
        return write_position(self)
