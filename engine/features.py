"""What programs that learn see of a position: numbers that a game gives, declared as feature planes. Values, no I/O.

A plane has one number for each place of the board: a count, 0 or 1, or, for what lies nowhere on it, the same number
at every place. A game declares its planes in parts and gives plain whole numbers, many planes in one where it can:
`arena.adapters.features` makes arrays of them. The seats are counted from the one that looks: `gold+0` is its own,
`gold+1` that of the next seat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import prod
from typing import Any, Final

ONE: Final = ("",)
"""The endings of a part that is one plane."""


class FeatureKind(IntEnum):
    """How the numbers of a part become planes. Parts stand in this order."""

    CELLS = 0
    """A number for each place: one plane, or, with `bits`, as many as are packed in it, the lowest bits first."""
    MASKS = 1
    """One number for each plane: bit i is the place i."""
    NUMBERS = 2
    """One number for each plane, the same at every place."""
    FLAGS = 3
    """One number for all planes: bit i is the plane i, the same at every place."""
    REALS = 4
    """A number for each place, which need not be whole, and has no bounds."""


@dataclass(frozen=True, slots=True)
class FeaturePart:
    """Planes that belong together."""

    kind: FeatureKind
    name: str
    meaning: str
    endings: tuple[str, ...] = ONE
    """What is put behind `name`, for each plane."""
    most: int = 1
    """The greatest number in a plane; a greater one is shown as this."""
    bits: int = 0

    @property
    def planes(self) -> tuple[str, ...]:
        """Return the names of the planes."""
        return tuple(self.name + ending for ending in self.endings)

    def width(self, places: int) -> int:
        """Return how many numbers the part takes."""
        if self.kind in (FeatureKind.CELLS, FeatureKind.REALS):
            return places if self.bits else places * len(self.endings)
        return 1 if self.kind is FeatureKind.FLAGS else len(self.endings)


def cells(name: str, meaning: str, most: int, endings: tuple[str, ...] = ONE) -> FeaturePart:
    """Declare planes with a number for each place, from 0 to `most`."""
    return FeaturePart(FeatureKind.CELLS, name, meaning, endings, most)


def packed(name: str, meaning: str, most: int, endings: tuple[str, ...], bits: int) -> FeaturePart:
    """Declare planes whose numbers are packed for each place, `bits` bits each, the first plane lowest."""
    return FeaturePart(FeatureKind.CELLS, name, meaning, endings, most, bits)


def masks(name: str, meaning: str, endings: tuple[str, ...] = ONE) -> FeaturePart:
    """Declare planes of 0 and 1, each given as a bit set of places."""
    return FeaturePart(FeatureKind.MASKS, name, meaning, endings)


def numbers(name: str, meaning: str, most: int, endings: tuple[str, ...] = ONE) -> FeaturePart:
    """Declare planes with the same number, from 0 to `most`, at every place."""
    return FeaturePart(FeatureKind.NUMBERS, name, meaning, endings, most)


def flags(name: str, meaning: str, endings: tuple[str, ...] = ONE) -> FeaturePart:
    """Declare planes that are 0 or 1 at every place, all given as one bit set."""
    return FeaturePart(FeatureKind.FLAGS, name, meaning, endings)


def reals(name: str, meaning: str, endings: tuple[str, ...] = ONE) -> FeaturePart:
    """Declare planes with any number at each place."""
    return FeaturePart(FeatureKind.REALS, name, meaning, endings)


def per_seat(seats: int) -> tuple[str, ...]:
    """Return the endings of planes for each seat: the one that looks, then those after it, round the table."""
    return tuple(f"+{further}" for further in range(seats))


def per_member(members: Sequence[str]) -> tuple[str, ...]:
    """Return the endings of planes for each of some names."""
    return tuple(f":{member}" for member in members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Featured:
    """How a game is seen by programs that learn."""

    board: Callable[[int, Any], tuple[int, ...]]
    """`(seats, options)`: the shape of a plane; its places are numbered along the last axis first."""
    parts: Callable[[int, Any], Sequence[FeaturePart]]
    """`(seats, options)`: what the planes are, in the order of their kinds."""
    numbers: Callable[[Any, int], Sequence[float]]
    """`(state, seat)`: the numbers of all parts, one behind the other: whole ones but for `reals`, none negative, and
    below 2**31 but for bit sets. They tell nothing that is hidden from the seat."""

    def width(self, seats: int, options: Any) -> int:
        """Return how many numbers there are."""
        places = prod(self.board(seats, options))
        return sum(part.width(places) for part in self.parts(seats, options))
