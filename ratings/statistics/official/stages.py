"""A ranking as a sequence of choices: who is best, who is best of the rest, and so on.

Equal choices are counted together. No I/O.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ratings.statistics.official.aggregate import pack
from ratings.statistics.official.results import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """Choices among the same number of seats.

    `versions` and `seats` have shape (seats, choices), ascending by seat; `chosen` is the bit set of the places chosen,
    `counts` how often that was, and `rows` the row from which each choice came (-1: from many).
    """

    versions: Ints
    seats: Ints
    chosen: Ints
    counts: Floats
    rows: Ints

    def __len__(self) -> int:
        return len(self.chosen)

    def part(self, where: slice) -> Stages:
        """Return some of the choices."""
        return Stages(
            self.versions[:, where], self.seats[:, where], self.chosen[where], self.counts[where], self.rows[where]
        )


def stages_of(seats: Ints, ranks: Ints, counts: Ints) -> list[Stages]:
    """Return all choices of the rows, the first choices first; where one seat is left there is no choice."""
    width = seats.shape[1]
    return [_stage(seats, ranks, counts, taken) for taken in range(width - 1)]


def _stage(seats: Ints, ranks: Ints, counts: Ints, taken: int) -> Stages:
    rows = np.flatnonzero((ranks == taken).any(axis=1)).astype(np.int64)
    left = seats.shape[1] - taken
    places = np.nonzero(ranks[rows] >= taken)[1].reshape(-1, left)
    is_chosen = np.take_along_axis(ranks[rows], places, axis=1) == taken
    chosen = (is_chosen << np.arange(left)).sum(axis=1)
    versions = np.take_along_axis(seats[rows], places, axis=1)
    return Stages(
        np.ascontiguousarray(versions.T),
        np.ascontiguousarray(places.T),
        chosen,
        counts[rows].astype(np.float64),
        rows.astype(np.int64),
    )


def condensed(stages: Sequence[Stages], versions: int, seats: int) -> list[Stages]:
    """Return the same choices in lexicographic order, with equal ones as one that has the sum of their counts."""
    return [_condense(stage, versions, seats) for stage in stages if len(stage)]


def _condense(stage: Stages, versions: int, seats: int) -> Stages:
    left = len(stage.seats)
    keys = pack([*stage.versions, *stage.seats, stage.chosen], [versions] * left + [seats] * left + [2**left])
    _, firsts, where = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.bincount(where, weights=stage.counts).astype(np.float64)  # whole numbers add up exactly in any order
    return Stages(
        np.ascontiguousarray(stage.versions[:, firsts]),
        np.ascontiguousarray(stage.seats[:, firsts]),
        stage.chosen[firsts],
        counts,
        np.full(len(firsts), -1),
    )


def thinned(stages: Sequence[Stages], at_most: int) -> list[Stages]:
    """Return about `at_most` evenly spread choices of each kind, to find a good start from."""
    return [stage.part(slice(None, None, max(1, len(stage) // at_most))) for stage in stages]


def chunks(stage: Stages, size: int) -> Iterator[Stages]:
    """Yield the choices in pieces that stay in a processor's cache."""
    for start in range(0, len(stage), size):
        yield stage.part(slice(start, start + size))


def largest_tie(stages: Sequence[Stages]) -> int:
    """Return the size of the largest set chosen at once, 1 where nobody tied."""
    return max((int(np.bitwise_count(stage.chosen).max()) for stage in stages if len(stage)), default=1)


@lru_cache(maxsize=64)
def subsets(size: int, at_most: int) -> tuple[int, ...]:
    """Return the bit sets of 1 to `at_most` of `size` places."""
    return tuple(bits for bits in range(1, 1 << size) if bits.bit_count() <= at_most)
