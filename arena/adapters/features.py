"""Positions as feature planes in NumPy: what one seat sees, as numbers for each place of the board.

    features = features_of(registry.get("foreign_king"), seats=3)
    planes = features.planes(state, seat=0)          # float32, of shape features.shape
    features.write(state, 0, planes)                 # the same into an array that is there

The numbers are counts, or 0 and 1, and not scaled: `features.high` has the greatest of each plane, and
`features.scaled` divides by it. What each plane means stands in the game's features.md and in `features.meanings`.
What is hidden from a seat is not in its planes; an observation from the wire gives the same ones as the position.

The numbers of one position are a record of fixed size, packed by `struct` and read by NumPy where it lies: its blocks
are one kind of part each, and each block becomes planes in a handful of operations on all records together.

For PettingZoo and Gymnasium, which both know spaces by Gymnasium's classes, an observation is a dict: `observation`,
the planes, and `action_mask`, one int8 for each action of the game, 1 where it is legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, prod
from struct import Struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arena.adapters.library import load
from arena.adapters.setting import GameSetting
from engine import registry
from engine.core import AbilityError, Game, Observation, State
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
Seen = dict[str, npt.NDArray[Any]]
"""An observation."""


class Features:
    """The feature planes of a game with a number of seats and options.

    They can be pickled, so that a bot or a process of its own can have them: what is written is the name of the game.
    """

    def __init__(self, game: Game, seats: int, options: Any) -> None:
        featured = game.featured
        if featured is None:
            raise AbilityError(f"{game.name} gives no feature planes (Game.featured): nothing can learn from it")
        self.game, self.seats, self.options = game, seats, options
        board = featured.board(seats, options)
        self._layout = PlaneLayout(tuple(featured.parts(seats, options)), board)
        self._numbers = featured.numbers
        self._pack_into = self._layout.packing.pack_into
        self.expansion = Expansion(self._layout)
        self.record = self._layout.record
        """The type of what is kept of a position: far smaller than its planes, which `expand` makes of it."""
        self.names = self._layout.names
        """A name for each plane; `+0` is the seat that looks, `+1` the next round the table."""
        self.shape: tuple[int, ...] = (len(self.names), *board)
        """Planes, and the board."""
        self.high = self._layout.most
        """The greatest number of each plane, float32; infinite where it is not known. The smallest is 0 elsewhere."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _features_by_name, (self.game.name, self.seats, self.game.options_json(self.options))

    @property
    def meanings(self) -> Mapping[str, str]:
        """Return what each plane means, in English, by name."""
        return {name: part.meaning for part in self._layout.parts for name in part.planes}

    @property
    def low(self) -> npt.NDArray[np.float32]:
        """Return the smallest number of each plane."""
        return np.where(np.isinf(self.high), -self.high, np.float32(0))

    def write(self, seen: State | Observation, seat: int, out: Array) -> None:
        """Write what a seat sees of a position, or has seen, into an array of shape `shape` and of any type of number.

        int16 holds every number of the games that come with the arena. Raises ValueError for another shape.
        """
        if out.shape != self.shape:
            raise ValueError(f"planes of {self.game.name} have the shape {self.shape}, not {out.shape}")
        self.expand(self.records([(seen, seat)]), out[None])

    def planes(self, seen: State | Observation, seat: int) -> npt.NDArray[np.float32]:
        """Return what a seat sees of a position, or has seen, as a new array."""
        out = np.empty(self.shape, np.float32)
        self.write(seen, seat, out)
        return out

    def records(self, seen: list[tuple[State | Observation, int]]) -> npt.NDArray[np.void]:
        """Return the record of each position, as its seat sees it, in one array."""
        found = np.zeros(len(seen), self.record)
        buffer, size = found.view(np.uint8), self.record.itemsize
        for index, (what, seat) in enumerate(seen):
            self.pack(what.state if isinstance(what, Observation) else what, seat, buffer, index * size)
        return found

    def pack(self, state: State, seat: int, buffer: Any, offset: int) -> None:
        """Write the record of one position into a buffer of bytes."""
        self._pack_into(buffer, offset, *self._numbers(state, seat))

    def expand(self, records: Array, out: Array | None = None) -> Array:
        """Return the planes of N records, of shape (N, *shape): in `out`, or in a new array of float32."""
        if out is None:
            out = np.empty((len(records), *self.shape), np.float32)
        self.check_type(out.dtype)
        self.expansion.spread(records, out.reshape(len(records), self.shape[0], prod(self.shape[1:])))
        return out

    def check_type(self, dtype: np.dtype[Any]) -> None:
        """Raise ValueError if an array of that type does not hold the numbers of all planes."""
        if dtype.kind not in "iuf":
            raise ValueError(f"the planes are numbers, and {dtype} is no type of real ones; take int16, or float32")
        if dtype.kind in "iu" and (most := np.iinfo(dtype).max) < self.high.max():
            greatest = f"{self.high.max():.0f}"
            raise ValueError(f"the planes go up to {greatest}, and {dtype} holds {most}; take int16, or float32")

    def scaled(self, planes: Array) -> npt.NDArray[np.float32]:
        """Return planes, of any number of positions, with each divided by its greatest number: from 0 to 1."""
        most = np.where(np.isinf(self.high), np.float32(1), np.maximum(self.high, 1))
        return np.divide(planes, most.reshape(-1, *(1 for _ in self.shape[1:])), dtype=np.float32)


def features_of(game: Game, seats: int | None = None, options: Any = None) -> Features:
    """Return the planes of a game. `options` are those of the game, or None for its defaults.

    `seats` may be left out where the game permits only one number. Raises SeatsError if it is not played by that many,
    and AbilityError if it gives no planes.
    """
    if seats is None:
        seats = game.need_only_seats()
    game.check_seats(seats)
    return Features(game, seats, game.parse_options({}) if options is None else options)


def _features_by_name(name: str, seats: int, options: Mapping[str, Any]) -> Features:
    """Return the planes of an installed game, as they are read from a pickle."""
    game = registry.get(name)
    return Features(game, seats, game.parse_options(options))


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
        self._most: list[npt.NDArray[np.int32]] = [
            layout.most[layout.span(kind)].astype(np.int32) for kind in (FeatureKind.CELLS, FeatureKind.NUMBERS)
        ]
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


def _bits(words: Array) -> npt.NDArray[np.uint8]:
    """Return the bits of 64-bit numbers, the lowest first, along a new last axis."""
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, _WORD // 8)
    return np.unpackbits(octets, axis=-1, bitorder="little")


class Looking:
    """Makes the observations of one setting, and their spaces. Raises AbilityError for a game without planes."""

    def __init__(self, setting: GameSetting) -> None:
        self.features: Features = features_of(setting.game, setting.seats, setting.options)
        self._actions = len(setting.game.actions)

    def look(self, seen: State | Observation, seat: int, legal: Sequence[int]) -> Seen:
        """Return what a seat sees of a position, with what is legal for it there."""
        mask = np.zeros(self._actions, np.int8)
        mask[list(legal)] = 1
        return {"observation": self.features.planes(seen, seat), "action_mask": mask}

    def observation_space(self) -> Any:
        """Return a new space of observations."""
        shape = self.features.shape
        bounds = (
            np.broadcast_to(of.reshape(-1, *(1 for _ in shape[1:])), shape).astype(np.float32)
            for of in (self.features.low, self.features.high)
        )
        spaces = load("gymnasium").spaces
        planes = spaces.Box(*bounds, dtype=np.float32)
        return spaces.Dict({"observation": planes, "action_mask": spaces.Box(0, 1, (self._actions,), np.int8)})

    def action_space(self) -> Any:
        """Return a new space of actions: the ids of the game."""
        return load("gymnasium").spaces.Discrete(self._actions)
