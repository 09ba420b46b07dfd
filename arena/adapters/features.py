"""Positions as feature planes in NumPy: what one seat sees, as numbers for each place of the board.

    features = features_of(registry.get("foreign_king"), seats=3)
    planes = features.planes(state, seat=0)          # float32, of shape features.shape
    features.write(state, 0, planes)                 # the same into an array that is there

The numbers are counts, or 0 and 1, and not scaled: `features.high` has the greatest of each plane, and
`features.scaled` divides by it. What each plane means stands in the game's features.md and in `features.meanings`.
What is hidden from a seat is not in its planes; an observation from the wire gives the same ones as the position.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.adapters.planes import Array, Expansion, layout_of
from engine import registry
from engine.core import AbilityError, Game, Observation, State


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
        self._layout = layout_of(featured.parts(seats, options), board)
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


def features_of(game: Game, seats: int, options: Any = None) -> Features:
    """Return the planes of a game. `options` are those of the game, or None for its defaults.

    Raises SeatsError if it is not played by that many, and AbilityError if it gives no planes.
    """
    game.check_seats(seats)
    return Features(game, seats, game.parse_options({}) if options is None else options)


def _features_by_name(name: str, seats: int, options: Mapping[str, Any]) -> Features:
    """Return the planes of an installed game, as they are read from a pickle."""
    game = registry.get(name)
    return Features(game, seats, game.parse_options(options))
