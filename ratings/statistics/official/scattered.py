"""The sum of outer products of scores where there are many versions: a block knows only those that sit in it. No I/O.

A block's score is nearly all zeros then, and the time of a dense product would grow with the square of all versions.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ratings.statistics.official.aggregate import Counts
from ratings.statistics.official.likelihood import Shape
from ratings.statistics.official.results import Floats, Ints

_BLOCKS, _PRODUCTS = 20_000, 2_000_000
"""So many blocks, and so many products, are in memory at once."""


def scattered(counts: Counts, scores: Floats, shape: Shape) -> Floats:
    """Return the sum over blocks of the outer product of a block's score with itself, given the scores of all rows."""
    total = np.zeros(shape.size * shape.size)
    starts = np.searchsorted(counts.block_of, np.arange(0, counts.blocks + _BLOCKS, _BLOCKS))
    for number, (start, end) in enumerate(pairwise(starts.tolist())):
        block = counts.block_of[start:end] - number * _BLOCKS
        _add(total, *_block_scores(counts.seats, scores, counts.row_of[start:end], block, shape), shape.size)
    return total.reshape(shape.size, shape.size)


def _block_scores(seats: Ints, scores: Floats, rows: Ints, block: Ints, shape: Shape) -> tuple[Ints, Ints, Floats]:
    """Return the scores of blocks by parameter, as blocks (ascending), parameters and scores."""
    shared = np.arange(shape.versions, shape.size)
    of_shared = np.broadcast_to(shared, (len(rows), len(shared)))
    parameters = np.concatenate([seats[rows], of_shared], axis=1)
    values = np.concatenate([scores[rows, : shape.seats], scores[rows]], axis=1)
    places, which = np.unique((block[:, None] * shape.size + parameters).ravel(), return_inverse=True)
    found: Floats = np.bincount(which.ravel(), weights=values.ravel(), minlength=len(places)).astype(np.float64)
    return places // shape.size, places % shape.size, found


def _add(total: Floats, blocks: Ints, parameters: Ints, scores: Floats, size: int) -> None:
    """Add the products of blocks to the flat matrix, those of blocks that tell of equally many parameters at once."""
    _, firsts, widths = np.unique(blocks, return_index=True, return_counts=True)
    for width in np.unique(widths).tolist():
        same = firsts[widths == width]
        for part in np.array_split(same, 1 + len(same) * width * width // _PRODUCTS):
            places = part[:, None] + np.arange(width)
            where, what = parameters[places], scores[places]
            flat = (where[:, :, None] * size + where[:, None, :]).ravel()
            total += np.bincount(flat, weights=(what[:, :, None] * what[:, None, :]).ravel(), minlength=len(total))
