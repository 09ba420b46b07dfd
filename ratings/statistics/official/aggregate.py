"""Turns matches into integer counts in an order of their own, so that no sum depends on the order in which they came.

Versions are ordered by id, rows (versions by seat, ranks) by their columns, blocks by a hash of what happened in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings.statistics.official.results import Bools, Ints, Results, distinct

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Distinct rows and how often each was played; and the matches, as rows, block by block.

    `seats` and `ranks` have shape (rows, seats): indices into `versions`, and how many seats were strictly better.
    `row_of` and `block_of` have shape (matches,): the row of each match, and its block counted from 0, ascending.
    """

    versions: tuple[str, ...]
    seats: Ints
    ranks: Ints
    counts: Ints
    row_of: Ints
    block_of: Ints
    blocks: int
    repeats: int

    @property
    def matches(self) -> int:
        """Count the matches that count, repeats apart."""
        return len(self.row_of)


def count(results: Results) -> Counts:
    """Count equal matches; of those that repeat one another by plan one counts, whichever copies there are."""
    versions, seats = _sorted_versions(results)
    who = pack(seats.T, [len(versions)] * seats.shape[1])
    beaten = _times_beaten(results.ranks)
    width = beaten.shape[1]
    every = pack([who, *beaten.T], [_span(who), *[width] * width])
    kept = _first_of_repeats(who, results, every)
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


def _sorted_versions(results: Results) -> tuple[tuple[str, ...], Ints]:
    """Return the versions that played, by id, and the seats as indices into them."""
    used = distinct(results.seats)
    by_id = sorted(used.tolist(), key=lambda index: results.versions[index])
    place = np.zeros(len(results.versions), np.int64)
    place[by_id] = np.arange(len(by_id))
    return tuple(results.versions[index] for index in by_id), place[results.seats]


def _first_of_repeats(who: Ints, results: Results, every: Ints) -> Ints:
    """Return the index of one match of each plan: where copies ended otherwise, the one of the least result.

    Of equal results it is the one in the block with the least content, so that no id decides.
    """
    _, plans = np.unique(results.plans, return_inverse=True)
    if len(plans) == 0 or len(distinct(pack([who, plans], [_span(who), _span(plans)]))) == len(plans):
        return np.arange(len(plans))  # nothing repeats, which is usual
    _, block = np.unique(results.blocks, return_inverse=True)
    content = np.zeros(_span(block), np.uint64)
    np.add.at(content, block, _mixed(np.unique(every, return_inverse=True)[1]))
    order = np.lexsort((content[block], every, plans, who))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (np.diff(who[order]) != 0) | (np.diff(plans[order]) != 0)
    return order[is_new].astype(np.int64)


def _times_beaten(ranks: npt.NDArray[np.integer]) -> Ints:
    """Return for each seat how many were strictly better, so that equal orders have equal numbers."""
    beaten = np.zeros(ranks.shape, np.int64)
    for seat in range(ranks.shape[1]):
        beaten += ranks[:, [seat]] < ranks
    return beaten


def _blocks_by_content(labels: npt.NDArray[np.integer], row_of: Ints) -> tuple[Ints, Ints, int]:
    """Return the matches' blocks, the order that puts the matches in that of their blocks, and the number of blocks."""
    if not len(labels):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), 0
    _, block = np.unique(labels, return_inverse=True)
    order = np.argsort(block, kind="stable")
    hashes = np.add.reduceat(_mixed(row_of[order]), _starts(block[order]))
    place = np.empty(len(hashes), np.int64)
    place[np.argsort(hashes, kind="stable")] = np.arange(len(hashes))
    order = np.lexsort((row_of, place[block]))
    return place[block][order], order.astype(np.int64), len(hashes)


def _starts(ascending: npt.NDArray[np.integer]) -> Ints:
    is_start: Bools = np.ones(len(ascending), np.bool_)
    is_start[1:] = np.diff(ascending) != 0
    return np.flatnonzero(is_start).astype(np.int64)


def _mixed(values: Ints) -> npt.NDArray[np.uint64]:
    """Return scrambled numbers (splitmix64), whose sum modulo 2^64 identifies a set of rows whatever its order."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
