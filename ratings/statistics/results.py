"""The matches of a pool as columns and in counts, and each ranking as choices: what all statistics start from. No I/O.

`count` turns matches into integer counts in an order of their own, so that no sum depends on the order in which they
came. Versions are ordered by id, rows (versions by seat, ranks) by their columns, blocks by a hash of what happened in
them.

`stages_of` makes each ranking a sequence of choices: who is best, who is best of the rest, and so on. `condensed`
counts equal choices together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ratings.statistics.errors import ResultsError

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
_LARGEST = 2**62


def distinct(values: npt.NDArray[Any], axis: int | None = None) -> npt.NDArray[Any]:
    """Return the different values, or those along an axis, ascending.

    Without the counts, `np.unique` would import all of NumPy's masked arrays to see that these are none.
    """
    return np.unique(values, return_counts=True, axis=axis)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Matches that count: of whole blocks, none of them void. Row = match, column = seat.

    `versions` are ids; `seats` holds indices into them, shape (matches, seats); `ranks` has the same shape, 1 is best,
    ties share a rank; `blocks` tells the block of each match by any integer, shape (matches,); `plans` are integers of
    the same shape, equal for two matches only if one repeats the other by plan: same opening, seeds and rotation, and
    everybody deterministic by its own word. Raises ResultsError if the shapes or values do not fit.

    `order` ranks the matches as they were scheduled, by default as they stand here. `draws` are integers, equal for two
    matches whose players were chosen among the same versions: whoever plays in one match of a draw could have met
    whoever plays in another. By default nobody could have met anybody but whom it met.
    """

    versions: tuple[str, ...]
    seats: npt.NDArray[np.integer]
    ranks: npt.NDArray[np.integer]
    blocks: npt.NDArray[np.integer]
    plans: npt.NDArray[np.integer]
    order: npt.NDArray[np.integer] | None = None
    draws: npt.NDArray[np.integer] | None = None

    def __post_init__(self) -> None:
        if self.seats.ndim != 2 or self.seats.shape != self.ranks.shape or self.seats.shape[1] < 2:
            raise ResultsError(f"seats {self.seats.shape} and ranks {self.ranks.shape} are not (matches, seats)")
        matches = len(self.seats)
        columns = [self.blocks, self.plans, *(column for column in (self.order, self.draws) if column is not None)]
        if any(column.shape != (matches,) for column in columns):
            raise ResultsError(f"{matches} matches, but {[column.shape for column in columns]} blocks, plans and so on")
        if len(set(self.versions)) != len(self.versions):
            raise ResultsError("a version is listed twice")
        if matches and not 0 <= int(self.seats.min()) <= int(self.seats.max()) < len(self.versions):
            raise ResultsError("a seat's version is not in the list of versions")

    def where(self, kept: Bools) -> Results:
        """Return the matches at which the mask is true."""
        return Results(
            self.versions,
            self.seats[kept],
            self.ranks[kept],
            self.blocks[kept],
            self.plans[kept],
            None if self.order is None else self.order[kept],
            None if self.draws is None else self.draws[kept],
        )

    def among(self, versions: Collection[str]) -> Results:
        """Return the matches in which nobody but these versions sat."""
        is_wanted = np.array([version in versions for version in self.versions], np.bool_)
        return self.where(is_wanted[self.seats].all(axis=1))


def results_of(versions: Sequence[str], matches: Sequence[tuple[int, Sequence[str], Sequence[int]]]) -> Results:
    """Return the columns of matches that are given one by one, none of which repeats another.

    Each match is the number of its block, its versions by seat, and their ranks by seat.
    """
    place = {version: number for number, version in enumerate(versions)}
    width = len(matches[0][1]) if matches else 2
    return Results(
        tuple(versions),
        np.array([[place[version] for version in seats] for _, seats, _ in matches], np.int64).reshape(-1, width),
        np.array([ranks for _, _, ranks in matches], np.int64).reshape(-1, width),
        np.array([block for block, _, _ in matches], np.int64),
        np.arange(len(matches)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Distinct rows and how often each was played; and the matches, as rows, block by block.

    `seats` and `ranks` have shape (rows, seats): indices into `versions`, and how many seats were strictly better.
    `row_of` and `block_of` have shape (matches,): the row of each match, and its block counted from 0, ascending.
    `met[a, b]` is the share of the matches of `a` in which it could have met `b`, each match being shared out among
    those who could have been there (see `Results.draws`); its diagonal is 0. `unsteady` lists the versions that call
    themselves deterministic, and whose repeats ended differently.
    """

    versions: tuple[str, ...]
    seats: Ints
    ranks: Ints
    counts: Ints
    row_of: Ints
    block_of: Ints
    blocks: int
    repeats: int
    met: Floats
    unsteady: tuple[str, ...]

    @property
    def matches(self) -> int:
        """Count the matches that count, repeats apart."""
        return len(self.row_of)


def count(results: Results) -> Counts:
    """Count equal matches; of those that repeat one another by plan the first by schedule counts.

    A version whose repeats ended differently is not deterministic, whatever it says: nothing that it plays is a repeat.
    """
    used = distinct(results.seats)
    by_id = sorted(used.tolist(), key=lambda index: results.versions[index])
    place = np.zeros(len(results.versions), np.int64)
    place[by_id] = np.arange(len(by_id))
    versions, seats = tuple(results.versions[index] for index in by_id), place[results.seats]
    who = pack(seats.T, [len(versions)] * seats.shape[1])
    # How many were strictly better than each seat, so that equal orders have equal numbers.
    beaten: Ints = np.zeros(results.ranks.shape, np.int64)
    for column in range(results.ranks.shape[1]):
        beaten += results.ranks[:, [column]] < results.ranks
    width = beaten.shape[1]
    every = pack([who, *beaten.T], [_span(who), *[width] * width])
    kept, unsteady = _first_of_repeats(who, seats, results, every)
    ranks = beaten[kept]
    _, firsts, row_of, counts = np.unique(every[kept], return_index=True, return_inverse=True, return_counts=True)
    block_of, order, blocks = _blocks_by_content(results.blocks[kept], row_of)
    return Counts(
        versions=versions,
        seats=seats[kept][firsts],
        ranks=ranks[firsts],
        counts=counts.astype(np.int64),
        row_of=row_of[order],
        block_of=block_of,
        blocks=blocks,
        repeats=len(results.seats) - len(kept),
        met=_met(seats[kept], None if results.draws is None else results.draws[kept], len(versions)),
        unsteady=tuple(versions[place] for place in unsteady.tolist()),
    )


def both_won_and_lost(counts: Counts) -> Bools:
    """Return which versions were ahead of somebody in one match and behind somebody in one, shape (versions,)."""
    size = len(counts.versions)
    lost = np.bincount(counts.seats[counts.ranks > 0], minlength=size) > 0
    won = np.bincount(counts.seats[counts.ranks < counts.ranks.max(axis=1, keepdims=True)], minlength=size) > 0
    return np.asarray(won & lost)


def pack(columns: Sequence[npt.NDArray[np.integer]] | Ints, bases: Sequence[int]) -> Ints:
    """Return one number for each row of the columns, ordered as the rows are.

    The values of each column lie in [0, base).
    """
    key = np.zeros(len(columns[0]), np.int64)
    size = 1
    for column, base in zip(columns, bases, strict=True):
        if size > _LARGEST // max(base, 1):
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = _span(key)
        key = key * base + column
        size *= max(base, 1)
    return key


def _span(values: Ints) -> int:
    return int(values.max()) + 1 if len(values) else 1


def _first_of_repeats(who: Ints, seats: Ints, results: Results, every: Ints) -> tuple[Ints, Ints]:
    """Return the index of the first match of each plan by schedule, ascending, and the versions that are not steady.

    `every` tells equal matches by equal numbers. Of two versions whose common plans ended differently, the one with
    more such plans is not steady; of equally many, both.
    """
    _, plans = np.unique(results.plans, return_inverse=True)
    _, plan, copies = np.unique(pack([who, plans], [_span(who), _span(plans)]), return_inverse=True, return_counts=True)
    if len(copies) == len(plan):
        return np.arange(len(plan)), np.zeros(0, np.int64)  # nothing repeats, which is usual
    order = np.arange(len(plan)) if results.order is None else results.order
    repeated = np.flatnonzero(copies[plan] > 1)
    repeated = repeated[np.lexsort((order[repeated], plan[repeated]))]
    is_first = np.ones(len(repeated), np.bool_)
    is_first[1:] = np.diff(plan[repeated]) != 0
    first = repeated[is_first][np.cumsum(is_first) - 1]
    is_unsteady = np.zeros(_span(seats.ravel()), np.bool_)
    while True:
        is_steady = ~is_unsteady[seats[repeated]].any(axis=1)
        unlike = distinct(first[is_steady & (every[repeated] != every[first])])
        if not len(unlike):
            kept: Ints = np.setdiff1d(np.arange(len(plan)), repeated[is_steady & ~is_first])
            return kept, np.flatnonzero(is_unsteady)
        # In how many such plans each version sits, however many of its copies sit there.
        sitting = np.sort(seats[unlike], axis=1)
        is_other = np.ones(sitting.shape, np.bool_)
        is_other[:, 1:] = np.diff(sitting, axis=1) != 0
        times = np.bincount(sitting[is_other], minlength=len(is_unsteady))
        is_unsteady |= times == times.max()


_PART = 1 << 20
"""The shares of matches are counted in parts of this, so that they add up exactly in any order."""


def _met(seats: Ints, draws: npt.NDArray[np.integer] | None, versions: int) -> Floats:
    """Return how the matches of each version are shared out among those whom it could have met (see `Counts.met`)."""
    met: Ints = np.zeros((versions, versions), np.int64)
    if draws is None:
        for one, other in permutations(range(seats.shape[1]), 2):
            met += np.bincount(seats[:, one] * versions + seats[:, other], minlength=met.size).reshape(met.shape)
    else:
        _, draw = np.unique(draws, return_inverse=True)
        keys = (draw[:, None] * versions + seats).ravel()
        places, matches = np.unique(keys, return_counts=True)
        for start, end in pairwise([*np.flatnonzero(np.diff(places // versions, prepend=-1)).tolist(), len(places)]):
            present = places[start:end] % versions
            met[np.ix_(present, present)] += (matches[start:end] * _PART // max(len(present) - 1, 1))[:, None]
    np.fill_diagonal(met, 0)
    return np.asarray(met / np.maximum(met.sum(axis=1, keepdims=True), 1))


def _blocks_by_content(labels: npt.NDArray[np.integer], row_of: Ints) -> tuple[Ints, Ints, int]:
    """Return the matches' blocks, the order that puts the matches in that of their blocks, and the number of blocks."""
    if not len(labels):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    _, block = np.unique(labels, return_inverse=True)
    order = np.argsort(block, kind="stable")
    ascending = block[order]
    is_start: Bools = np.ones(len(ascending), np.bool_)
    is_start[1:] = np.diff(ascending) != 0
    hashes = np.add.reduceat(_mixed(row_of[order]), np.flatnonzero(is_start).astype(np.int64))
    place = np.empty(len(hashes), np.int64)
    place[np.argsort(hashes, kind="stable")] = np.arange(len(hashes))
    order = np.lexsort((row_of, place[block]))
    return place[block][order], order.astype(np.int64), len(hashes)


def _mixed(values: Ints) -> npt.NDArray[np.uint64]:
    """Return scrambled numbers (splitmix64), whose sum modulo 2^64 identifies a set of rows whatever its order."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


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
    stages, width = [], seats.shape[1]
    for taken in range(width - 1):
        rows = np.flatnonzero((ranks == taken).any(axis=1)).astype(np.int64)
        left = width - taken
        places = np.nonzero(ranks[rows] >= taken)[1].reshape(-1, left)
        is_chosen = np.take_along_axis(ranks[rows], places, axis=1) == taken
        chosen = (is_chosen << np.arange(left)).sum(axis=1)
        versions = np.ascontiguousarray(np.take_along_axis(seats[rows], places, axis=1).T)
        stages.append(Stages(versions, np.ascontiguousarray(places.T), chosen, counts[rows].astype(np.float64), rows))
    return stages


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
