"""The fit of the Davidson-Luce model with seat effects to the matches of a field. No I/O.

The model gives the log likelihood, its gradient and its curvature. A set C of the seats A that are left comes next with
probability proportional to

    delta(|C|) * (product of the worths of C) ** (1 / |C|)        among all sets of at most D seats of A,

where the worth of a seat is exp(strength of its version + effect of the seat), delta(1) = 1 and D is the largest tie
seen. Source: D. Firth, I. Kosmidis, H. Turner, "Davidson-Luce model for multi-item choice with ties" (2019,
arXiv:1909.07123), applied stage by stage as in H. Turner, J. van Etten, D. Firth, I. Kosmidis, "Modelling rankings in
R: the PlackettLuce package" (2020). For two seats it is Davidson's model (1970), without ties Plackett and Luce's. The
effect of the seat enters as the order effect of Davidson and Beaver (1977) does. The log likelihood is concave.

The prior is weak and normal. Its standard deviation is 3 (521 Elo) on each seat's effect and on each log delta. On each
strength's distance from the field's mean it is the deviation that this field shows (empirical Bayes), or 3 where
anchors fix numbers. So a bot that won or lost everything gets a finite strength, two fields that never met are both
placed around the mean, and a field with data hardly feels it. With a prior of one width for all, who leads after few
matches would be taken for as good as it looks, and the order of near neighbours for surer than it is. What is not known
of the field's deviation widens the intervals (`doubt_of`).

The fit is the most probable point, found by Newton's method, with some strengths held fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.statistics.algebra import inner, inverse, product, solve, tridiagonal
from ratings.statistics.errors import ResultsError
from ratings.statistics.results import Floats, Ints, Stages, chunks, subsets, thinned

CHUNK = 16384
PRIOR_DEVIATION = 3.0
"""The deviation (521 Elo) of what is not fitted: the seats' effects, the log deltas, and strengths beside anchors."""
_ROUNDS = 50
"""How often the field's deviation is improved: always as often, since a test of whether it is near enough would end
differently on another machine."""
_PENALTY = 0.5
"""What the sum of squares is divided by is so much less than the number of versions. By simulation a half neither lifts
nor lowers who leads a small table; without it few results make all bots equal."""
_TOLERANCE = 1e-9
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


def field_deviation(shape: Shape, point: Floats, precision: Floats, prior: Floats) -> float:
    """Return the standard deviation of the strengths of this field, at most the wide prior's.

    It is the one under which the results are most probable, by the EM step of Dempster, Laird and Rubin (1977) on the
    likelihood's parabola at the point that was found with a wide prior. It is kept from zero by a penalty on its
    logarithm, after Chung, Rabe-Hesketh, Dorie, Gelman and Liu, "A nondegenerate penalized likelihood estimator for
    variance parameters in multilevel models" (2013).
    """
    matrix, pull = tridiagonal(*_of_strengths(shape, point, precision, prior))
    widest = variance = PRIOR_DEVIATION**2
    for _ in range(_ROUNDS):
        variances, strengths = matrix.inverse_and_solution(1 / variance, pull.tolist())
        squares = sum(strength * strength for strength in strengths) + sum(variances)
        variance = min(squares / (shape.versions - _PENALTY), widest)
    return float(variance**0.5)


def _of_strengths(shape: Shape, point: Floats, precision: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return what the results say of the strengths alone: their information, and the pull away from a mean of 0.

    The other parameters, whose prior stays as it is, are integrated out (Schur's complement).
    """
    size = shape.versions
    known, pull = precision - prior, product(precision, point)
    across = known[:size, size:]
    others = inverse(known[size:, size:] + np.diag(precisions(shape, 1.0)[size:]))
    carried = product(across, others)
    return known[:size, :size] - product(carried, across.T), pull[:size] - product(carried, pull[size:])


def doubt_of(shape: Shape, point: Floats, precision: Floats, prior: Floats) -> Floats:
    """Return by how much the parameters move with one standard deviation of the logarithm of the field's variance.

    It is the second term of Kass and Steffey, "Approximate Bayesian inference in conditionally independent hierarchical
    models" (1989): without it the intervals of a small table take the deviation that was found for the true one. The
    information on the logarithm is half the sum of squares of what part of each strength comes from the results.
    """
    size, weight = shape.versions, float(prior[0, 0])
    spread = inverse(precision)
    pulled = np.zeros(shape.size)
    pulled[:size] = weight * point[:size]
    known = 1 - weight * np.diag(spread)[:size]
    return np.asarray(product(spread, pulled) * (2 / max(float((known**2).sum()), 1e-9)) ** 0.5)


def precisions(shape: Shape, variance: float) -> Floats:
    """Return one over the prior variance of each parameter, that of the strengths given."""
    found = np.full(shape.size, 1 / PRIOR_DEVIATION**2)
    found[: shape.versions] = 1 / variance
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The most probable point; `precision` is minus the second derivative there, `prior` the prior's part of it.

    `free` lists the parameters that were not held fixed. `doubt` is by how much the parameters move with one standard
    deviation of the prior's scale, which was itself found from the field (0 where it was not).
    """

    shape: Shape
    point: Floats
    precision: Floats
    prior: Floats
    free: Ints
    doubt: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    """What is climbed: the log likelihood of the choices, and the prior on the parameters."""

    tables: Sequence[Stages]
    shape: Shape
    prior: Floats

    def height(self, point: Floats) -> float:
        """Return the log probability at a point, up to a constant."""
        return log_likelihood(self.tables, self.shape, point) - self.penalty(point)

    def penalty(self, point: Floats) -> float:
        """Return by how much the prior lowers the log probability at a point."""
        return 0.5 * inner(point, product(self.prior, point))


def fit(tables: Sequence[Stages], shape: Shape, fixed: dict[int, float]) -> Fit:
    """Fit all parameters at once; `fixed` maps versions' places to strengths. Raises ResultsError if it diverges."""
    # The precision of the wide prior, whose mean is 0 or, if there are anchors, theirs.
    precision = np.eye(shape.size)
    if fixed:
        precision[: shape.versions, : shape.versions] -= 1 / shape.versions
    prior = precision / PRIOR_DEVIATION**2
    free = np.array([place for place in range(shape.size) if place not in fixed], np.int64)
    point = np.zeros(shape.size)
    if fixed:
        point[: shape.versions] = sum(fixed.values()) / len(fixed)
        point[list(fixed)] = list(fixed.values())
    if max((len(table) for table in tables), default=0) > 4 * _FEW:
        point, _ = _climb(_Posterior(thinned(tables, _FEW), shape, prior), point, free, tolerance=1e-3)
    posterior = _Posterior(tables, shape, prior)
    point, precision = _climb(posterior, point, free, tolerance=_TOLERANCE if fixed else 1e-4)
    for _ in range(0 if fixed else 2):
        prior = np.diag(precisions(shape, field_deviation(shape, point, precision, prior) ** 2))
        point, precision = _climb(_Posterior(tables, shape, prior), point, free, tolerance=_TOLERANCE)
    doubt = np.zeros(shape.size) if fixed else doubt_of(shape, point, precision, prior)
    return Fit(shape, point, precision, prior, free, doubt)


def _climb(posterior: _Posterior, point: Floats, free: Ints, *, tolerance: float) -> tuple[Floats, Floats]:
    """Return the top, and the precision one step before it, which at this tolerance is the same."""
    for _ in range(_MAX_STEPS):
        value = evaluate(posterior.tables, posterior.shape, point)
        precision = value.information + posterior.prior
        gradient = value.gradient - product(posterior.prior, point)
        step = np.zeros(posterior.shape.size)
        step[free] = solve(precision[np.ix_(free, free)], gradient[free])
        here = value.log_likelihood - posterior.penalty(point)
        point = _stride(posterior, point, step, here, inner(gradient, step))
        if np.abs(step).max(initial=0.0) < tolerance:
            return point, precision
    raise ResultsError("the fit does not converge; are the ranks and versions right?")


def _stride(posterior: _Posterior, point: Floats, step: Floats, here: float, slope: float) -> Floats:
    """Return the point after the whole step, or after half of it, and so on, until it leads upwards.

    A short step is taken without trying it, because near the top Newton's method is exact.
    """
    longest = float(np.abs(step).max(initial=0.0))
    if longest < 0.5:
        return point + step
    length = min(1.0, 3.0 / longest)
    while length > 1e-6:
        target = point + length * step
        if posterior.height(target) >= here + 1e-4 * length * slope:
            return target
        length /= 2
    return point
