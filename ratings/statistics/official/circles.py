"""Finds circles: A beats B, B beats C and C beats A, more surely than chance explains in a field without any. No I/O.

In a field without circles each version has a number, and whoever has the higher one scores at least one half: the
chance is some curve of the difference, the same for all, which flattens away from even (the logistic one, the normal
one, either averaged over the luck of blocks). Write q for what a version scores against the next of a circle, less one
half. Whatever the numbers and the curve, one of these four sums is at most 0, for any weight w between 0 and 1:

    q1 + w q2 + (1 - w) q3,    q2 + w q3 + (1 - w) q1,    q3 + w q1 + (1 - w) q2,    q1 + q2 + q3.

If the circle goes against the order of the numbers in one step, that step loses at least as much as either of the
others gains (strong stochastic transitivity); if in two, the two together lose what the third gains. So a circle is
told where all four sums are above 0 (an intersection-union test, Berger 1982), each w the one with the least variance,
and besides each of the three steps alone at 95 %. Bonferroni's bound over all threes that were asked about keeps the
chance that any is told in a field without circles below 5 %: of the two ways round, one at most is near its bound. The
units are blocks, and no fitted strength enters.

What circles do to ratings: D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation" (2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log10
from statistics import NormalDist

import numpy as np

from ratings.statistics.official.meetings import Meetings
from ratings.statistics.official.results import Bools, Floats, Ints
from ratings.values.statistics import Circle

ALARM = 0.05
"""The chance, at most, that any circle is told in a field without circles."""
MOST_TOLD = 20
_LEAST_BLOCKS = 4
"""Pairs that met in fewer are not asked about: they could hardly answer, and each question makes the others weaker."""
_STEP_SURE = 1.645
_MOST_REFINED = 200


@dataclass(frozen=True, slots=True)
class Circles:
    """What was found: the surest first, at most 20 of `count`; `asked` threes had all met each other often enough."""

    told: tuple[Circle, ...] = ()
    count: int = 0
    asked: int = 0


NO_CIRCLES = Circles()


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The score of each version (row) against each other, its variance, and in how many blocks they met.

    One block won and one lost are added to each, after Agresti and Coull (1998): few blocks that all went one way do
    not show how much they could have varied. All of shape (versions, versions).
    """

    scores: Floats
    variances: Floats
    blocks: Ints


def pairs_of(met: Meetings) -> Pairs:
    """Return the scores of all pairs over their blocks."""
    shape = (met.versions, met.versions)
    flat = met.versions**2
    times = np.bincount(met.pairs, minlength=flat).reshape(shape)
    sums = np.bincount(met.pairs, weights=met.scores, minlength=flat).reshape(shape)
    squares = np.bincount(met.pairs, weights=met.scores**2, minlength=flat).reshape(shape)
    seen = times + 2
    scores = (sums + 1) / seen
    variances = (squares + 1 - seen * scores**2) / (seen - 1) / seen
    is_upper = np.triu(np.ones(shape, np.bool_), 1)
    return Pairs(np.where(is_upper, scores, 1 - scores.T), np.where(is_upper, variances, variances.T), times + times.T)


def find_circles(met: Meetings, versions: tuple[str, ...], alarm: float = ALARM) -> Circles:
    """Return the circles of three that a field without circles would show with a chance of at most `alarm`.

    `versions` are the ids by place.
    """
    pairs = pairs_of(met)
    asked = _threes(pairs.blocks >= _LEAST_BLOCKS)
    best = np.zeros((0, 3), np.int64)
    surest, beyond, least = np.zeros(0), 0, _least(alarm, asked)
    for threes in _candidates(_sure_steps(pairs)):
        steps = np.concatenate([surest, _surety(*_of_threes(pairs, threes))])
        best = np.concatenate([best, threes])
        order = np.lexsort((*best.T[::-1], -steps))
        beyond += int((steps[order[_MOST_REFINED:]] >= least).sum())
        best, surest = best[order[:_MOST_REFINED]], steps[order[:_MOST_REFINED]]
    refined = [_circle(pairs, met, three, versions, asked) for three in best.tolist()]
    told = sorted((one for one in refined if one.chance <= alarm), key=lambda one: (one.chance, one.versions))
    return Circles(tuple(told[:MOST_TOLD]), len(told) + beyond, asked)


def _threes(met: Bools) -> int:
    """Count the threes that all met each other; the sums are whole numbers, so exact in any order."""
    links = met.astype(np.float64)
    return round(float(((links @ links) * links).sum()) / 6)


def _least(alarm: float, asked: int) -> float:
    """Return from how many standard deviations on a circle is told without a look at its blocks."""
    return NormalDist().inv_cdf(1 - alarm / max(asked, 1))


def _sure_steps(pairs: Pairs) -> Bools:
    """Return where the row beats the column at 95 %."""
    seen = _normal((pairs.scores - 0.5) / np.sqrt(pairs.variances), (pairs.blocks + 1).astype(np.float64))
    return np.asarray((pairs.blocks >= _LEAST_BLOCKS) & (seen > _STEP_SURE))


def _candidates(beats: Bools) -> Iterator[Ints]:
    """Yield the circles of three, in order, each from its least place on, shape (circles, 3)."""
    links = beats.astype(np.float32)
    closed = beats & ((links @ links).T > 0)  # whole numbers
    for first in np.flatnonzero(closed.any(axis=1)).tolist():
        seconds, thirds = np.flatnonzero(closed[first]), np.flatnonzero(closed[:, first])
        seconds, thirds = seconds[seconds > first], thirds[thirds > first]
        second, third = np.nonzero(closed[np.ix_(seconds, thirds)])
        if len(second):
            yield np.stack([np.full(len(second), first), seconds[second], thirds[third]], axis=1)


def _of_threes(pairs: Pairs, threes: Ints) -> tuple[Floats, Floats, Floats]:
    """Return what each scores against the next less one half, the covariance of the three, and their blocks.

    Shapes (circles, 3), (circles, 3, 3), (circles, 3). The covariances are taken for 0, which is cautious: at a common
    table who gains on the one loses to the other.
    """
    nexts = np.roll(threes, -1, axis=1)
    gains, variances = pairs.scores[threes, nexts] - 0.5, pairs.variances[threes, nexts]
    return gains, variances[:, :, None] * np.eye(3), pairs.blocks[threes, nexts].astype(np.float64)


def _surety(gains: Floats, covariances: Floats, blocks: Floats) -> Floats:
    """Return by how many standard deviations the least sure of the four sums is above 0, shape (circles,)."""
    variances = np.einsum("cii->ci", covariances)
    found = [_standard(np.ones_like(gains), gains, covariances, blocks)]
    for step in range(3):
        after, before = (step + 1) % 3, (step + 2) % 3
        weights = np.ones_like(gains)
        weights[:, after] = variances[:, before] / (variances[:, after] + variances[:, before])
        weights[:, before] = 1 - weights[:, after]
        found.append(_standard(weights, gains, covariances, blocks))
    return np.asarray(np.min(found, axis=0))


def _standard(weights: Floats, gains: Floats, covariances: Floats, blocks: Floats) -> Floats:
    """Return weighted sums in standard deviations; the freedom of their variances is Welch and Satterthwaite's."""
    parts = weights**2 * np.einsum("cii->ci", covariances)
    freedom = parts.sum(axis=1) ** 2 / (parts**2 / (blocks + 1)).sum(axis=1)
    variance = np.einsum("ci,cij,cj->c", weights, covariances, weights)
    return _normal((weights * gains).sum(axis=1) / np.sqrt(variance), freedom)


def _normal(values: Floats, freedom: Floats) -> Floats:
    """Return the normal deviates that are as rare as these of Student's distribution (Wallace 1959)."""
    scale = (8 * freedom + 1) / (8 * freedom + 3)
    return np.asarray(np.sign(values) * scale * np.sqrt(freedom * np.log1p(values**2 / freedom)))


def _circle(pairs: Pairs, met: Meetings, three: list[int], versions: tuple[str, ...], asked: int) -> Circle:
    """Return a circle with its chance, for which the blocks that its steps share are looked at."""
    threes = np.array([three], np.int64)
    gains, covariances, blocks = _of_threes(pairs, threes)
    covariances = covariances + _shared(met, three)
    beyond = NormalDist().cdf(-float(_surety(gains, covariances, blocks)[0]))
    shares = tuple((gains[0] + 0.5).tolist())
    return Circle(
        versions=tuple(versions[place] for place in three),
        bots=(),
        shares=shares,
        blocks=tuple(blocks[0].astype(np.int64).tolist()),
        elo=sum(400 * log10(share / (1 - share)) for share in shares) / 3,
        chance=min(1.0, asked * beyond),
    )


def _shared(met: Meetings, three: list[int]) -> Floats:
    """Return the covariances of the steps' scores by the blocks in which all three sat, shape (1, 3, 3)."""
    seen = [met.of(one, other) for one, other in zip(three, three[1:] + three[:1], strict=True)]
    found = np.zeros((1, 3, 3))
    for one in range(3):
        for other in range(one):
            (mine, scores), (theirs, others) = seen[one], seen[other]
            _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
            if len(here) == 0:
                continue
            both = (scores[here] - scores.mean()) * (others[there] - others.mean())
            found[0, one, other] = found[0, other, one] = both.sum() / (len(mine) + 2) / (len(theirs) + 2)
    return found
