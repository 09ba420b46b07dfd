"""What every two versions did against each other, block by block, whoever else sat at the table. No I/O.

Matches of a block share their luck, so a block gives each pair one score: the share of its matches in which the one was
ahead of the other, a tie as half. Only blocks in which both sat in the same seats count for a pair, so that no
advantage of a seat enters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from ratings.statistics.official.aggregate import Counts
from ratings.statistics.official.results import Bools, Floats, Ints, distinct

_MATCHES_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """The scores of pairs, the one of the lower place against the other, ordered by pair and then by block.

    `pairs` holds place * versions + place, `blocks` the block and `scores` its score between 0 and 1, each of shape
    (meetings,).
    """

    versions: int
    pairs: Ints
    blocks: Ints
    scores: Floats

    def of(self, one: int, other: int) -> tuple[Ints, Floats]:
        """Return the blocks in which two met, ascending, and the scores of the first."""
        pair = min(one, other) * self.versions + max(one, other)
        start, end = np.searchsorted(self.pairs, [pair, pair + 1])
        scores = self.scores[start:end]
        return self.blocks[start:end], scores if one < other else 1 - scores


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The distinct matches with the seats ordered by version, each of shape (rows, seats)."""

    versions: Ints
    ranks: Ints
    seats: Ints


def meetings(counts: Counts) -> Meetings:
    """Return the scores of all pairs in all blocks."""
    rows = _ordered(counts)
    parts = [_of_blocks(counts, rows, part) for part in _parts(counts)]
    pairs, blocks, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(pairs, kind="stable")
    return Meetings(len(counts.versions), pairs[order], blocks[order], scores[order])


def _ordered(counts: Counts) -> _Rows:
    order = np.argsort(counts.seats, axis=1, kind="stable")
    versions, ranks = (np.take_along_axis(table, order, axis=1) for table in (counts.seats, counts.ranks))
    return _Rows(versions, ranks, order.astype(np.int64))


def _parts(counts: Counts) -> Iterator[slice]:
    """Yield the matches in pieces of whole blocks, so that memory does not grow with the pairs of all of them."""
    wanted = np.arange(0, counts.matches, _MATCHES_AT_ONCE)
    starts = distinct(np.searchsorted(counts.block_of, counts.block_of[wanted]))
    for start, end in pairwise([*starts.tolist(), counts.matches]):
        yield slice(start, end)


def _of_blocks(counts: Counts, rows: _Rows, part: slice) -> tuple[Ints, Ints, Floats]:
    """Return the pairs, blocks and scores of some whole blocks.

    Matches of the same versions in a block are added up first, which is usually all of it: four times less to sort.
    """
    size, row_of, block_of = len(counts.versions), counts.row_of[part], counts.block_of[part]
    versions = rows.versions[row_of]
    is_start = np.ones(len(row_of), np.bool_)
    is_start[1:] = (np.diff(block_of) != 0) | (np.diff(versions, axis=0) != 0).any(axis=1)
    starts = np.flatnonzero(is_start)
    first, blocks, times = int(block_of[0]), block_of[starts], np.diff(starts, append=len(row_of))
    keys, sums = [], []
    for one, other in combinations(range(versions.shape[1]), 2):
        pair = versions[starts, one] * size + versions[starts, other]
        points = 1 + np.sign(rows.ranks[:, other] - rows.ranks[:, one])
        apart = rows.seats[:, other] - rows.seats[:, one]
        keys.append((blocks - first) * size**2 + pair)
        sums.append(np.stack([np.add.reduceat(each[row_of], starts) for each in (points, apart)] + [times]))
    return _added_up(np.concatenate(keys), np.concatenate(sums, axis=1), size, first)


def _added_up(keys: Ints, sums: Ints, size: int, first: int) -> tuple[Ints, Ints, Floats]:
    """Return the pairs, blocks and scores, given twice the points, how far apart they sat, and how often they met.

    Two copies of one version are the pair of its place with itself, which is no meeting.
    """
    keys, where = np.unique(keys, return_inverse=True)
    points, apart, times = (np.bincount(where, weights=each, minlength=len(keys)) for each in sums)  # whole numbers
    block, pair = keys // size**2, keys % size**2
    met: Bools = (apart == 0) & (pair // size != pair % size)
    return pair[met], block[met] + first, points[met] / (2 * times[met])
