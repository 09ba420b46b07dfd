"""How the numbers that a game gives of positions become feature planes, for many positions at once.

The numbers of one position are a record of fixed size, packed by `struct` and read by NumPy where it lies: its blocks
are one kind of part each, and each block becomes planes in a handful of operations on all records together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, prod
from struct import Struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from engine.features import FeatureKind, FeaturePart

Array = npt.NDArray[Any]

_FORMATS: Final = {
    FeatureKind.CELLS: "i",
    FeatureKind.MASKS: "q",
    FeatureKind.NUMBERS: "i",
    FeatureKind.FLAGS: "q",
    FeatureKind.REALS: "f",
}
_TYPES: Final = {"i": np.dtype("<i4"), "q": np.dtype("<i8"), "f": np.dtype("<f4")}
_MASK_BITS: Final = 63
_WORD: Final = 64


@dataclass(frozen=True)
class PlaneLayout:
    """Where each number of a record lies, and which planes it makes."""

    parts: tuple[FeaturePart, ...]
    board: tuple[int, ...]

    def __post_init__(self) -> None:
        """Raise ValueError if the parts are out of order, or a bit set too narrow for them."""
        kinds = [part.kind for part in self.parts]
        if kinds != sorted(kinds):
            raise ValueError(
                f"the parts stand in the order {', '.join(kind.name for kind in FeatureKind)}, not {kinds}"
            )
        if FeatureKind.MASKS in kinds and self.places > _MASK_BITS:
            raise ValueError(f"a bit set holds {_MASK_BITS} places; a board of {self.places} needs cells")
        if any(len(part.endings) > _MASK_BITS for part in self.parts if part.kind is FeatureKind.FLAGS):
            raise ValueError(f"a part of flags holds {_MASK_BITS} planes")
        if len(set(self.names)) != len(self.names):
            raise ValueError("two planes have the same name")

    @cached_property
    def places(self) -> int:
        """Return how many places a plane has."""
        return prod(self.board)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the name of each plane."""
        return tuple(name for part in self.parts for name in part.planes)

    @cached_property
    def most(self) -> npt.NDArray[np.float32]:
        """Return the greatest number of each plane; infinite where it is not known."""
        return np.array(
            [inf if part.kind is FeatureKind.REALS else part.most for part in self.parts for _ in part.endings],
            np.float32,
        )

    @cached_property
    def record(self) -> np.dtype[np.void]:
        """Return the type of a record: a field for each kind of part there is, named like it in lower case."""
        shapes = [(kind, self._shape(kind)) for kind in FeatureKind if self._of(kind)]
        return np.dtype([(kind.name.lower(), _TYPES[_FORMATS[kind]], shape) for kind, shape in shapes])

    @cached_property
    def packing(self) -> Struct:
        """Return what packs the numbers of a position into a record."""
        return Struct(
            "<"
            + "".join(f"{sum(p.width(self.places) for p in self._of(kind))}{_FORMATS[kind]}" for kind in FeatureKind)
        )

    def _of(self, kind: FeatureKind) -> list[FeaturePart]:
        return [part for part in self.parts if part.kind is kind]

    def _shape(self, kind: FeatureKind) -> tuple[int, ...]:
        width = sum(part.width(self.places) for part in self._of(kind))
        return (width // self.places, self.places) if kind in (FeatureKind.CELLS, FeatureKind.REALS) else (width,)

    def span(self, kind: FeatureKind) -> slice:
        """Return the planes of a kind."""
        before = sum(len(part.endings) for part in self.parts if part.kind < kind)
        return slice(before, before + sum(len(part.endings) for part in self._of(kind)))

    def planes_of(self, kind: FeatureKind) -> Iterator[tuple[int, int, FeaturePart]]:
        """Yield for each plane of a kind, in order: the row of its block that it lies in, its place there, its part."""
        row = 0
        for part in self._of(kind):
            shared = kind is FeatureKind.FLAGS or part.bits > 0
            for index in range(len(part.endings)):
                yield (row, index, part) if shared else (row + index, 0, part)
            row += 1 if shared else len(part.endings)


class Expansion:
    """Makes planes of records."""

    def __init__(self, layout: PlaneLayout) -> None:
        self._layout = layout
        self._record = layout.record
        cells = list(layout.planes_of(FeatureKind.CELLS))
        self._rows = np.array([row for row, _, _ in cells], np.intp)
        self._shifts = np.array([place * part.bits for _, place, part in cells], np.int32)[:, None]
        self._fields = np.array([(1 << part.bits) - 1 if part.bits else -1 for *_, part in cells], np.int32)[:, None]
        self._is_packed = any(part.bits for *_, part in cells)
        self._most = [_as_int(layout.most[layout.span(kind)]) for kind in (FeatureKind.CELLS, FeatureKind.NUMBERS)]
        self._flags = np.array([row * _WORD + bit for row, bit, _ in layout.planes_of(FeatureKind.FLAGS)], np.intp)
        self._same = slice(layout.span(FeatureKind.NUMBERS).start, layout.span(FeatureKind.FLAGS).stop)

    def known(self, count: int) -> npt.NDArray[np.int32]:
        """Return what `spread_changes` knows of that many playings before the first."""
        return np.zeros((count, self._same.stop - self._same.start), np.int32)

    def spread(self, records: Array, out: Array) -> None:
        """Write the planes of N records into `out`, an array of shape (N, planes, places)."""
        self.on_the_board(records, out)
        out[:, self._same] = self.everywhere(records)[:, :, None]

    def spread_changes(self, records: Array, out: Array, known: Array) -> None:
        """Do the same where `out` has what earlier records made, those that are the same everywhere as `known` says.

        Few of those change in a step, and they are most of what would be written. `known` begins as zeros, like `out`.
        """
        self.on_the_board(records, out)
        now = self.everywhere(records)
        rows, planes = np.nonzero(now != known)
        out[rows, planes + self._same.start] = now[rows, planes][:, None]
        known[:] = now

    def on_the_board(self, records: Array, out: Array) -> None:
        """Write the planes that differ from place to place."""
        layout, names = self._layout, self._record.names or ()
        if "cells" in names:
            found = records["cells"]
            if self._is_packed:
                found = (found[:, self._rows] >> self._shifts) & self._fields
            np.minimum(found, self._most[0][:, None], out=out[:, layout.span(FeatureKind.CELLS)], casting="unsafe")
        if "masks" in names:
            out[:, layout.span(FeatureKind.MASKS)] = _bits(records["masks"])[:, :, : layout.places]
        if "reals" in names:
            out[:, layout.span(FeatureKind.REALS)] = records["reals"]

    def everywhere(self, records: Array) -> npt.NDArray[np.int32]:
        """Return the planes that have one number at every place, as an array of shape (N, planes)."""
        names, same = self._record.names or (), self._same
        out = np.empty((len(records), same.stop - same.start), np.int32)
        count = len(self._most[1])
        if "numbers" in names:
            np.minimum(records["numbers"], self._most[1], out=out[:, :count])
        if "flags" in names:
            words = records["flags"]
            out[:, count:] = _bits(words).reshape(len(words), _WORD * words.shape[1])[:, self._flags]
        return out


def _as_int(most: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    return most.astype(np.int32)


def _bits(words: Array) -> npt.NDArray[np.uint8]:
    """Return the bits of 64-bit numbers, the lowest first, along a new last axis."""
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, _WORD // 8)
    return np.unpackbits(octets, axis=-1, bitorder="little")


def layout_of(parts: Sequence[FeaturePart], board: tuple[int, ...]) -> PlaneLayout:
    """Return the layout of a game's parts. Raises ValueError if they cannot be laid out."""
    return PlaneLayout(tuple(parts), board)
