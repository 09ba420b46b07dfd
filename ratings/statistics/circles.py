"""Finds circles of versions, and measures each version against the mixture that none beats. No I/O.

A circle is three versions of which A beats B, B beats C and C beats A, more surely than chance explains in a field
without any. `meetings` gives the scores of all pairs, `find_circles` the circles in them, and `mixture_of` the table in
which circles are respected. What circles do to ratings: D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating
evaluation" (2018).

The scores tell what every two versions did against each other, whoever else sat at the table. Matches of a block share
their luck, so a block gives each pair one score: the share of its matches in which the one was ahead of the other, a
tie as half. Only blocks in which both sat in the same seats count for a pair, so that no advantage of a seat enters.

The test of a circle starts from a field without circles. There each version has a number, and whoever has the higher
one scores at least one half. The chance is some curve of the difference, the same for all, which flattens away from
even (the logistic one, the normal one, either averaged over the luck of blocks). Write q for what a version scores
against the next of a circle, less one half. Whatever the numbers and the curve, one of these four sums is at most 0,
for any weight w between 0 and 1:

    q1 + w q2 + (1 - w) q3,    q2 + w q3 + (1 - w) q1,    q3 + w q1 + (1 - w) q2,    q1 + q2 + q3.

If the circle goes against the order of the numbers in one step, that step loses at least as much as either of the
others gains (strong stochastic transitivity). If it does in two, the two together lose what the third gains. So a
circle is told where all four sums are above 0 (an intersection-union test, Berger 1982), each w the one with the least
variance, and besides each of the three steps alone at 95 %. Bonferroni's bound over all threes that were asked about
keeps the chance that any is told in a field without circles below 5 %: of the two ways round, one at most is near its
bound. The units are blocks, and no fitted strength enters.

The mixture follows Nash averaging (Balduzzi and others, as above). Versions are played in shares of which no version
has anything to gain, and each is measured against that mixture. In a field without circles the mixture is the best
version alone, and the others are as far below as their numbers are. Where the best go round in a circle, it is they
that share it, and who loses to nobody else than to them stands just below. A copy of a version changes nothing. What
one beats another by is the difference of their strengths and as much of what the two showed beyond that as the whole
field bears out, so that luck makes no circles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import log10
from statistics import NormalDist

import numpy as np

from ratings.statistics.algebra import inner, product
from ratings.statistics.results import Bools, Counts, Floats, Ints, distinct
from ratings.values.statistics import Circle

ALARM = 0.05
"""The chance, at most, that any circle is told in a field without circles."""
MOST_TOLD = 20
_LEAST_BLOCKS = 4
"""Pairs that met in fewer are not asked about: they could hardly answer, and each question makes the others weaker."""
_STEP_SURE = 1.645
_MOST_REFINED = 200
_MATCHES_AT_ONCE = 100_000
_MOST_STEPS = 5_000
_LEAST_STEPS = 500
_WORK = 1_000_000_000
_FLATTEST = 1e-3


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
    # The threes that all met each other; the sums are whole numbers, so exact in any order.
    links = (pairs.blocks >= _LEAST_BLOCKS).astype(np.float64)
    asked = round(float(((links @ links) * links).sum()) / 6)
    best = np.zeros((0, 3), np.int64)
    surest, beyond, least = np.zeros(0), 0, NormalDist().inv_cdf(1 - alarm / max(asked, 1))
    # Only steps of which the row beats the column at 95 % are followed.
    seen = _normal((pairs.scores - 0.5) / np.sqrt(pairs.variances), (pairs.blocks + 1).astype(np.float64))
    for threes in _candidates((pairs.blocks >= _LEAST_BLOCKS) & (seen > _STEP_SURE)):
        steps = np.concatenate([surest, _surety(*_of_threes(pairs, threes))])
        best = np.concatenate([best, threes])
        order = np.lexsort((*best.T[::-1], -steps))
        beyond += int((steps[order[_MOST_REFINED:]] >= least).sum())
        best, surest = best[order[:_MOST_REFINED]], steps[order[:_MOST_REFINED]]
    refined = [_circle(pairs, met, three, versions, asked) for three in best.tolist()]
    told = sorted((one for one in refined if one.chance <= alarm), key=lambda one: (one.chance, one.versions))
    return Circles(tuple(told[:MOST_TOLD]), len(told) + beyond, asked)


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
    # The covariances of the steps' scores by the blocks in which all three sat.
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
    covariances = covariances + found
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
    order = np.argsort(counts.seats, axis=1, kind="stable")
    by_version, ranks = (np.take_along_axis(table, order, axis=1) for table in (counts.seats, counts.ranks))
    rows = _Rows(by_version, ranks, order.astype(np.int64))
    # In pieces of whole blocks, so that memory does not grow with the pairs of all of them.
    wanted = np.arange(0, counts.matches, _MATCHES_AT_ONCE)
    starts = distinct(np.searchsorted(counts.block_of, counts.block_of[wanted]))
    ends = pairwise([*starts.tolist(), counts.matches])
    parts = [_of_blocks(counts, rows, slice(start, end)) for start, end in ends]
    pairs, blocks, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(pairs, kind="stable")
    return Meetings(len(counts.versions), pairs[order], blocks[order], scores[order])


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
    every, where = np.unique(np.concatenate(keys), return_inverse=True)
    # Twice the points, how far apart they sat, and how often they met: whole numbers.
    points, apart, times = (
        np.bincount(where, weights=each, minlength=len(every)) for each in np.concatenate(sums, axis=1)
    )
    block, pair = every // size**2, every % size**2
    # Two copies of one version are the pair of its place with itself, which is no meeting.
    met: Bools = (apart == 0) & (pair // size != pair % size)
    return pair[met], block[met] + first, points[met] / (2 * times[met])


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """The shares of the versions, adding up to 1 in each group, and what each gains on the mixture of its group.

    `gains` are in natural-log units as strengths are: 0 for the versions in the mixture, less for others.
    """

    shares: Floats
    gains: Floats


def mixture_of(pairs: Pairs, strengths: Floats, log_tie: float | None, groups: Ints) -> Mixture:
    """Return the mixture that none beats, of each group by itself; `log_tie` is log delta(2), `None` without ties."""
    odds = pair_odds(pairs, strengths, log_tie)
    shares, gains = np.zeros(len(strengths)), np.zeros(len(strengths))
    for group in range(int(groups.max()) + 1):
        mine = np.flatnonzero(groups == group)
        game = odds[np.ix_(mine, mine)]
        shares[mine] = unbeaten(game)
        gains[mine] = product(game, shares[mine])
    return Mixture(shares, gains)


def pair_odds(pairs: Pairs, strengths: Floats, log_tie: float | None) -> Floats:
    """Return by how much each version (row) is stronger when it meets each other, in natural-log units; antisymmetric.

    What a pair showed beyond its strengths is drawn towards 0 as far as the pairs of the field vary no more than chance
    lets them: the variance between pairs is that of DerSimonian and Laird, "Meta-analysis in clinical trials" (1986).
    """
    apart = strengths[:, None] - strengths[None, :]
    expected, slope = _expected(apart, log_tie)
    times = pairs.blocks.astype(np.float64)
    met: Bools = (times > 0) & (slope > _FLATTEST)
    shown = ((times + 2) * pairs.scores - 1) / np.maximum(times, 1)
    beyond = np.where(met, (shown - expected) / np.maximum(slope, _FLATTEST), 0.0)
    variances = pairs.variances / np.maximum(slope, _FLATTEST) ** 2
    weights = np.where(met, 1 / variances, 0.0)
    upper = np.triu_indices(len(strengths), 1)
    spare = float((weights * beyond**2)[upper].sum()) - max(int(met[upper].sum()) - len(strengths) + 1, 0)
    between = max(spare, 0.0) / max(float(weights[upper].sum()), 1e-9)
    gains = np.triu(apart + beyond * between / (between + variances), 1)
    return np.asarray(gains - gains.T)


def _expected(apart: Floats, log_tie: float | None) -> tuple[Floats, Floats]:
    """Return what Davidson's model expects of matches of two, and how steeply it rises with the difference."""
    ties = 0.0 if log_tie is None else float(np.exp(log_tie))
    ahead, behind = np.exp(apart / 2), np.exp(-apart / 2)
    total = ahead + behind + ties
    return (ahead + ties / 2) / total, (2 + ties / 2 * (ahead + behind)) / (2 * total**2)


def unbeaten(game: Floats) -> Floats:
    """Return the shares against which nothing gains in an antisymmetric game, shape (versions,), adding up to 1.

    By predictive regret matching+ with linear averages (G. Farina, C. Kroer, T. Sandholm, "Faster game solving via
    predictive Blackwell approachability", 2021), from equal shares, so that equal versions keep equal shares.
    """
    size = len(game)
    regrets, last, total = np.zeros(size), np.zeros(size), np.zeros(size)
    shares = np.full(size, 1 / size)
    for step in range(1, max(_LEAST_STEPS, min(_MOST_STEPS, _WORK // size**2)) + 1):
        hoped = np.maximum(regrets + last, 0.0)
        shares = hoped / hoped.sum() if hoped.any() else shares
        gains = product(game, shares)
        last = gains - inner(gains, shares)
        regrets = np.maximum(regrets + last, 0.0)
        total += step * shares
    return np.asarray(total / total.sum())
