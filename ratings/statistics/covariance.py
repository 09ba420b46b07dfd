"""How sure a fit is: the spread of the difference of any two strengths, with blocks as the units that vary. No I/O.

Matches of a block share their opening and their luck, so they are no independent witnesses. The inverse of the Hessian
alone would be too sure of itself, or too unsure where a block's rotations cancel the luck. The "sandwich" of Liang and
Zeger (1986), with blocks as clusters, sees that, but is noisy for a version with few blocks, and blind for one that
nearly always won or lost. So each variance is a mixture: the sandwich's with weight e / (e + 20), where e counts
blocks' worth of the version's wins or of its losses, whichever are rarer, and the Hessian's, multiplied by the one
dispersion of the whole field. The prior counts as one more witness in both.

The sandwich needs the sum of the outer products of the blocks' scores. A block knows only the versions that sit in it.
Where there are many versions, its score is nearly all zeros, and the time of a dense product would grow with the square
of all versions. So `scattered` adds up only what each block knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ratings.statistics.algebra import gram, inverse, product
from ratings.statistics.fit import CHUNK, Fit, Shape, local
from ratings.statistics.results import Counts, Floats, Ints, chunks, stages_of

_TRUSTED_BLOCKS = 20.0
_TALL = 4096
_MANY = 300
"""From so many parameters on, blocks are added up by what they know, and not as wholes that are nearly all zeros."""
_BLOCKS, _PRODUCTS = 20_000, 2_000_000
"""So many blocks, and so many products, are in memory at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """Two covariances of all parameters (0 for fixed ones), and how far each version trusts the first.

    `dispersion` tells how much more the blocks vary than independent matches would; `model` is already multiplied by
    it. `scale` is the covariance that the doubt about the field's width adds: it stretches all differences alike, so
    that it widens intervals and leaves alone who is ahead of whom.
    """

    sandwich: Floats
    model: Floats
    scale: Floats
    trust: Floats
    seat_trust: float
    dispersion: float

    def spread_of(self, contrasts: Floats, trust: Floats | float) -> Floats:
        """Return the standard deviations of linear combinations (rows), given how far each trusts the sandwich."""
        robust, plain, scale = (
            (product(contrasts, matrix) * contrasts).sum(axis=1) for matrix in (self.sandwich, self.model, self.scale)
        )
        return np.asarray(np.sqrt(np.maximum(trust * robust + (1 - trust) * plain + scale, 0.0)))

    def pair_spread(self, versions: int) -> Floats:
        """Return the standard deviation of the difference of every two strengths, given their scale.

        Shape (versions, versions).
        """
        trust = np.minimum(self.trust[:, None], self.trust[None, :])
        robust, plain = (_differences(matrix[:versions, :versions]) for matrix in (self.sandwich, self.model))
        return np.asarray(np.sqrt(np.maximum(trust * robust + (1 - trust) * plain, 0.0)))


def _differences(covariance: Floats) -> Floats:
    variances = np.diag(covariance)
    return np.asarray(variances[:, None] + variances[None, :] - 2 * covariance)


def uncertainty(counts: Counts, fitted: Fit) -> Uncertainty:
    """Return the covariances of a fit to these matches."""
    return uncertainties(counts, fitted)[0]


def uncertainties(counts: Counts, fitted: Fit) -> tuple[Uncertainty, Uncertainty]:
    """Return the covariances of a fit to these matches, and those under the wide prior."""
    shape = fitted.shape
    known, wide = _known(fitted.free, fitted.likeliest.precision), _known(fitted.free, fitted.wide.precision)
    none = np.zeros_like(known)
    seen = counts.blocks * (shape.seats - 1)
    # Makes up for the fit's following the very blocks that are to judge it; 0 where they are too few to judge.
    correction = seen / (seen - shape.size) if seen > 2 * shape.size else 0.0
    if not correction:
        untrusted = np.zeros(shape.versions), 0.0, 1.0
        within = fitted.within
        return Uncertainty(within, within, fitted.between, *untrusted), Uncertainty(wide, wide, none, *untrusted)
    evidence = np.minimum(*blocks_won_and_lost(counts))
    meat = _meat(counts, shape, fitted.point) * correction
    dispersion = _dispersion(meat, fitted, evidence, counts.blocks)
    trusted = evidence / (evidence + _TRUSTED_BLOCKS), counts.blocks / (counts.blocks + _TRUSTED_BLOCKS), dispersion
    sandwich = product(product(known, meat + fitted.likeliest.prior), known)
    sandwich_if_wide = product(product(wide, meat + fitted.wide.prior), wide)
    return (
        Uncertainty(sandwich, fitted.within * dispersion, fitted.between, *trusted),
        Uncertainty(sandwich_if_wide, wide * dispersion, none, *trusted),
    )


def _known(free: Ints, precision: Floats) -> Floats:
    """Return the inverse of a precision, 0 for parameters that are not free."""
    found = np.zeros_like(precision)
    found[np.ix_(free, free)] = inverse(precision[np.ix_(free, free)])
    return found


def _dispersion(meat: Floats, fitted: Fit, evidence: Floats, blocks: int) -> float:
    """Return how much more the versions' scores vary than by the Hessian, drawn towards 1 where blocks are few."""
    versions = len(evidence)
    expected = np.diag(fitted.likeliest.precision - fitted.likeliest.prior)[:versions]
    scale = float((evidence * expected).sum())
    if not scale > 0:
        return 1.0
    raw = float((evidence * np.diag(meat)[:versions]).sum()) / scale
    return max(0.25, 1 + (raw - 1) * blocks / (blocks + _TRUSTED_BLOCKS))


def blocks_won_and_lost(counts: Counts) -> tuple[Floats, Floats]:
    """Return how many blocks' worth of matches each version won and lost, each of shape (versions,).

    A match counts as won by the share of its opponents that it beat, a tie as half.
    """
    width = counts.seats.shape[1]
    worse = (counts.ranks[:, :, None] < counts.ranks[:, None, :]).sum(axis=2)
    won = (worse + (width - 1 - worse - counts.ranks) / 2) / (width - 1)
    size = len(counts.versions)
    weights = np.repeat(counts.counts, width)
    wins = np.bincount(counts.seats.ravel(), weights=weights * won.ravel(), minlength=size)
    played = np.bincount(counts.seats.ravel(), weights=weights, minlength=size)
    worth = counts.blocks / max(counts.matches, 1)
    return np.asarray(wins * worth), np.asarray((played - wins) * worth)


def row_scores(counts: Counts, shape: Shape, point: Floats) -> Floats:
    """Return what each row says of its seats' log worths and of the ties, shape (rows, seats + ties - 1)."""
    scores = np.zeros((len(counts.seats), shape.seats + shape.ties - 1))
    for table in stages_of(counts.seats, counts.ranks, counts.counts):
        for stages in chunks(table, CHUNK):
            found = local(stages, shape, point, with_information=False)
            for place, score in zip(stages.seats, found.scores, strict=False):
                scores[stages.rows, place] += score
            scores[stages.rows, shape.seats :] += found.scores[len(stages.seats) :].T
    return scores


def _meat(counts: Counts, shape: Shape, point: Floats) -> Floats:
    """Return the sum over blocks of the outer product of a block's score with itself."""
    scores = row_scores(counts, shape, point)
    if shape.size > _MANY:
        return scattered(counts, scores, shape)
    tall = max(1, min(_TALL, 40_000_000 // max(shape.size, 1)))
    starts = np.searchsorted(counts.block_of, np.arange(0, counts.blocks + tall, tall))
    meat = np.zeros((shape.size, shape.size))
    for number, (start, end) in enumerate(pairwise(starts.tolist())):
        block = counts.block_of[start:end] - number * tall
        dense = block_scores(counts.seats, scores, counts.row_of[start:end], block, shape)
        meat += gram(dense)
    return meat


def block_scores(seats: Ints, scores: Floats, rows: Ints, block: Ints, shape: Shape) -> Floats:
    """Return the score of each block (counted from 0) in all parameters, shape (blocks, parameters)."""
    blocks = int(block.max()) + 1 if len(block) else 0
    dense = np.zeros(blocks * shape.size)
    base = block * shape.size
    for seat in range(shape.seats):
        np.add.at(dense, base + seats[rows, seat], scores[rows, seat])
        np.add.at(dense, base + shape.versions + seat, scores[rows, seat])
    for tie in range(shape.ties - 1):
        np.add.at(dense, base + shape.first_tie + tie, scores[rows, shape.seats + tie])
    return dense.reshape(blocks, shape.size)


def scattered(counts: Counts, scores: Floats, shape: Shape) -> Floats:
    """Return the sum over blocks of the outer product of a block's score with itself, given the scores of all rows."""
    total = np.zeros(shape.size * shape.size)
    starts = np.searchsorted(counts.block_of, np.arange(0, counts.blocks + _BLOCKS, _BLOCKS))
    for number, (start, end) in enumerate(pairwise(starts.tolist())):
        block = counts.block_of[start:end] - number * _BLOCKS
        rows = counts.row_of[start:end]
        shared = np.arange(shape.versions, shape.size)
        of_shared = np.broadcast_to(shared, (len(rows), len(shared)))
        parameters = np.concatenate([counts.seats[rows], of_shared], axis=1)
        values = np.concatenate([scores[rows, : shape.seats], scores[rows]], axis=1)
        places, which = np.unique((block[:, None] * shape.size + parameters).ravel(), return_inverse=True)
        found: Floats = np.bincount(which.ravel(), weights=values.ravel(), minlength=len(places)).astype(np.float64)
        _add(total, places // shape.size, places % shape.size, found, shape.size)
    return total.reshape(shape.size, shape.size)


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
