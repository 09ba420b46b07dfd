"""The fit of the Davidson-Luce model with seat effects to the matches of a field. No I/O.

The model gives the log likelihood, its gradient and its curvature. A set C of the seats A that are left comes next with
probability proportional to

    delta(|C|) * (product of the worths of C) ** (1 / |C|)        among all sets of at most D seats of A,

where the worth of a seat is exp(strength of its version + effect of the seat), delta(1) = 1 and D is the largest tie
seen. Source: D. Firth, I. Kosmidis, H. Turner, "Davidson-Luce model for multi-item choice with ties" (2019,
arXiv:1909.07123), applied stage by stage as in H. Turner, J. van Etten, D. Firth, I. Kosmidis, "Modelling rankings in
R: the PlackettLuce package" (2020). For two seats it is Davidson's model (1970), without ties Plackett and Luce's. The
effect of the seat enters as the order effect of Davidson and Beaver (1977) does. The log likelihood is concave.

The prior is normal. Its standard deviation is 3 (521 Elo) on each seat's effect and on each log delta. That of the
strengths has a width that is learned from the field (see `strength_prior`), so that a bot that won or lost everything
gets a finite strength, and two fields that never met are both placed around the mean. The posterior is found for each
of several widths by Laplace's method: its top, by Newton's, with some strengths held fixed, and the curvature there.
Beside it stands the posterior under a wide prior, whatever the field shows, for intervals that have to hold for bots
unlike the others too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from ratings.statistics.algebra import cholesky, gram, inner, inverse, product, substitute
from ratings.statistics.errors import ResultsError
from ratings.statistics.results import Floats, Ints, Stages, chunks, subsets, thinned
from ratings.statistics.strength_prior import likely_widths, precision_by_meetings, probabilities

CHUNK = 16384
PRIOR_DEVIATION = 3.0
"""The deviation (521 Elo) of the seats' effects, of the log deltas, and of strengths under the wide prior."""
_TOLERANCE = 1e-9
_NEAR = 0.15
"""A parabola serves as well as one made at the top where no parameter is further from there (26 Elo)."""
_MAX_STEPS = 60
_FEW = 20_000


@dataclass(frozen=True, slots=True)
class Shape:
    """How the vector of parameters is laid out: strengths, seat effects, log delta(2), ..., log delta(ties)."""

    versions: int
    seats: int
    ties: int

    @property
    def size(self) -> int:
        """Return the length of the vector."""
        return self.versions + self.seats + self.ties - 1

    @property
    def first_tie(self) -> int:
        """Return the place of log delta(2)."""
        return self.versions + self.seats


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """Choices as their own few unknowns see them: the log worth of each seat left, then each log delta.

    `scores` has shape (unknowns, choices): what was seen less what was expected. `information[a][b]`, a <= b, is the
    covariance of the unknowns' statistics, shape (choices,).
    """

    log_likelihood: Floats
    scores: Floats
    information: list[list[Floats]]


@dataclass(slots=True, eq=False)
class Value:
    """The log likelihood at a point, its gradient and its information (minus the second derivative)."""

    log_likelihood: float
    gradient: Floats
    information: Floats


def local(stages: Stages, shape: Shape, point: Floats, *, with_information: bool = True) -> Local:
    """Return the scores and the information of each choice by itself, not multiplied by its count."""
    size = len(stages.seats)
    sets = subsets(size, shape.ties)
    worths = point[stages.versions] + point[shape.versions + stages.seats]
    chances, log_likelihood = _chances(worths, sets, shape, point, stages.chosen)
    # What each set contributes to each unknown's statistic, shape (unknowns, sets).
    values = np.zeros((size + shape.ties - 1, len(sets)))
    for place, bits in enumerate(sets):
        members = [seat for seat in range(size) if bits >> seat & 1]
        values[members, place] = 1 / len(members)
        if len(members) > 1:
            values[size + len(members) - 2, place] = 1.0
    means = _sums(chances, values)
    column = np.zeros(1 << size, np.int64)
    column[list(sets)] = np.arange(len(sets))
    scores = values[:, column[stages.chosen]] - means
    information = _covariances(chances, values, means) if with_information else []
    return Local(log_likelihood, scores, information)


def _chances(worths: Floats, sets: Sequence[int], shape: Shape, point: Floats, chosen: Ints) -> tuple[Floats, Floats]:
    """Return the probability of every set, shape (sets, choices), and the log of that of the chosen one."""
    logs = np.empty((len(sets), worths.shape[1]))
    for row, bits in zip(logs, sets, strict=True):
        members = [place for place in range(len(worths)) if bits >> place & 1]
        row[:] = worths[members[0]]
        for place in members[1:]:
            row += worths[place]
        if len(members) > 1:
            row /= len(members)
            row += point[shape.first_tie + len(members) - 2]
    top = logs.max(axis=0)
    column = np.zeros(1 << len(worths), np.int64)
    column[list(sets)] = np.arange(len(sets))
    seen = logs[column[chosen], np.arange(worths.shape[1])] - top
    chances = np.exp(logs - top)
    total = chances.sum(axis=0)
    chances /= total
    return chances, seen - np.log(total)


def _sums(chances: Floats, values: Floats) -> Floats:
    """Return `values @ chances`, with each sum in the same order whatever library multiplies matrices here."""
    sums = np.zeros((len(values), chances.shape[1]))
    for row, weights in zip(sums, values, strict=True):
        for index in np.flatnonzero(weights):
            row += weights[index] * chances[index]
    return sums


def _covariances(chances: Floats, values: Floats, means: Floats) -> list[list[Floats]]:
    unknowns = range(len(values))
    pairs = [(a, b) for a in unknowns for b in unknowns if a <= b]
    products = _sums(chances, np.array([values[a] * values[b] for a, b in pairs]))
    found: list[list[Floats]] = [[np.empty(0)] * len(values) for _ in unknowns]
    for (a, b), row in zip(pairs, products, strict=True):
        row -= means[a] * means[b]
        found[a][b] = found[b][a] = row
    return found


def places(stages: Stages, shape: Shape) -> list[list[Ints]]:
    """Return, for each local unknown, the places of the parameters whose sum it is, each of shape (choices,)."""
    seats = [[stages.versions[a], shape.versions + stages.seats[a]] for a in range(len(stages.seats))]
    return seats + [[np.full(len(stages), shape.first_tie + tie)] for tie in range(shape.ties - 1)]


def evaluate(tables: Sequence[Stages], shape: Shape, point: Floats) -> Value:
    """Return the whole likelihood at a point. Sums run in the order of the tables, in one thread."""
    value = Value(0.0, np.zeros(shape.size), np.zeros((shape.size, shape.size)))
    upper = np.zeros((shape.size, shape.size))
    for table in tables:
        for stages in chunks(table, CHUNK):
            found = local(stages, shape, point)
            value.log_likelihood += float((found.log_likelihood * stages.counts).sum())
            targets = places(stages, shape)
            size = shape.size
            for a, mine in enumerate(targets):
                for place in mine:
                    np.add.at(value.gradient, place, found.scores[a] * stages.counts)
                for b, others in enumerate(targets[a:], start=a):
                    weights = found.information[a][b] * stages.counts
                    flat = (value.information if a == b else upper).reshape(-1)
                    for place in mine:
                        for other in others:
                            np.add.at(flat, place * size + other, weights)
    value.information += upper + upper.T
    return value


def log_likelihood(tables: Sequence[Stages], shape: Shape, point: Floats) -> float:
    """Return the log likelihood alone."""
    total = 0.0
    for table in tables:
        for stages in chunks(table, CHUNK):
            found = local(stages, shape, point, with_information=False)
            total += float((found.log_likelihood * stages.counts).sum())
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """The most probable point under a prior.

    `precision` is minus the second derivative there, `prior` the prior's part of it, both of all parameters. `evidence`
    is the log probability of the results under the prior by Laplace's approximation, without the prior's own constant.
    """

    point: Floats
    precision: Floats
    prior: Floats
    evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The posterior of all parameters.

    `point` is its mean. Its covariance is `within`, the mean covariance of a field of known width, and `between`, which
    is what the doubt about the width adds; both are 0 for fixed parameters. `likeliest` is the peak under the most
    probable width, `wide` the one under the wide prior. `free` lists the parameters that were not held fixed.
    """

    shape: Shape
    point: Floats
    within: Floats
    between: Floats
    likeliest: Peak
    wide: Peak
    free: Ints


class _Climber:
    """Climbs to the top of the posterior under one prior after the other, from where it stands.

    It keeps the likelihood's parabola at the last point, which costs as much as there are matches. Another prior whose
    top is near enough is answered by the same parabola.
    """

    def __init__(self, tables: Sequence[Stages], shape: Shape, free: Ints, point: Floats) -> None:
        self._tables, self._shape, self._free, self._point = tables, shape, free, point
        self._value: Value | None = None

    def peak(self, prior: Floats, tolerance: float) -> Peak:
        """Return the top under a prior's precision, once no parameter moves by more than the tolerance.

        Raises ResultsError if it finds none.
        """
        square = np.ix_(self._free, self._free)
        for _ in range(_MAX_STEPS):
            value = self._value or evaluate(self._tables, self._shape, self._point)
            self._value = value
            precision = value.information + prior
            gradient = value.gradient - product(prior, self._point)
            low = cholesky(precision[square])
            step = np.zeros(self._shape.size)
            step[self._free] = substitute(low, gradient[self._free])
            if np.abs(step).max(initial=0.0) < tolerance:
                top = self._point + step
                height = value.log_likelihood + inner(value.gradient, step)
                height -= inner(step, product(value.information, step)) / 2 + _penalty(prior, top)
                return Peak(top, precision, prior, height - float(np.log(np.diag(low)).sum()))
            here = value.log_likelihood - _penalty(prior, self._point)
            self._point = self._stride(prior, step, here, inner(gradient, step))
            self._value = None
        raise ResultsError("the fit does not converge; are the ranks and versions right?")

    def _stride(self, prior: Floats, step: Floats, here: float, slope: float) -> Floats:
        """Return the point after the whole step, or after half of it, and so on, until it leads upwards.

        A short step is taken without trying it, because near the top Newton's method is exact.
        """
        longest = float(np.abs(step).max(initial=0.0))
        if longest < 0.5:
            return self._point + step
        length = min(1.0, 3.0 / longest)
        while length > 1e-6:
            target = self._point + length * step
            height = log_likelihood(self._tables, self._shape, target) - _penalty(prior, target)
            if height >= here + 1e-4 * length * slope:
                return target
            length /= 2
        return self._point


def _penalty(prior: Floats, point: Floats) -> float:
    """Return by how much the prior lowers the log probability at a point."""
    return 0.5 * inner(point, product(prior, point))


def fit(tables: Sequence[Stages], shape: Shape, fixed: dict[int, float], met: Floats) -> Fit:
    """Fit all parameters at once.

    `fixed` maps versions' places to strengths. `met`, of shape (versions, versions), tells who could have met whom (see
    `Counts`). Raises ResultsError if it diverges.
    """
    free = np.array([place for place in range(shape.size) if place not in fixed], np.int64)
    point = np.zeros(shape.size)
    if fixed:
        point[: shape.versions] = sum(fixed.values()) / len(fixed)
        point[list(fixed)] = list(fixed.values())
    unit = precision_by_meetings(met)
    # The mean of all is held near 0, or, beside fixed strengths, where they are.
    mean = np.full_like(unit, 0.0 if fixed else 1 / shape.versions) / PRIOR_DEVIATION**2
    wide = np.eye(shape.size) / PRIOR_DEVIATION**2
    wide[: shape.versions, : shape.versions] -= 1 / shape.versions / PRIOR_DEVIATION**2
    wide[: shape.versions, : shape.versions] += mean

    def prior_of(width: float) -> Floats:
        prior = wide.copy()
        prior[: shape.versions, : shape.versions] = unit / width**2 + mean
        return prior

    if max((len(table) for table in tables), default=0) > 4 * _FEW:
        point = _Climber(thinned(tables, _FEW), shape, free, point).peak(wide, 1e-3).point
    climber = _Climber(tables, shape, free, point)

    def evidence_of(peak: Peak, width: float) -> float:
        return peak.evidence - (shape.versions - 1) * log(width)

    widths, shares = likely_widths(lambda width: evidence_of(climber.peak(prior_of(width), _NEAR), width))
    # Once more from the top itself, so that nothing depends on where the climb began.
    best = int(np.argmax(shares))
    likeliest = climber.peak(prior_of(widths[best]), _TOLERANCE)
    peaks = [likeliest if place == best else climber.peak(prior_of(width), _NEAR) for place, width in enumerate(widths)]
    weights = probabilities(widths, [evidence_of(*pair) for pair in zip(peaks, widths, strict=True)])
    points = np.array([peak.point for peak in peaks])
    middle = product(points.T, weights)
    middle[list(fixed)] = list(fixed.values())
    within = np.zeros((shape.size, shape.size))
    for weight, peak in zip(weights.tolist(), peaks, strict=True):
        within[np.ix_(free, free)] += weight * inverse(peak.precision[np.ix_(free, free)])
    between = gram(np.sqrt(weights)[:, None] * (points - middle))
    return Fit(
        shape=shape,
        point=middle,
        within=within,
        between=between,
        likeliest=likeliest,
        wide=climber.peak(wide, _NEAR),
        free=free,
    )
