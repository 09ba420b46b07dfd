"""How far apart the strengths of a field lie: the standard deviation of the prior on them, fitted to the field. No I/O.

With a prior of one width for all, who leads after few matches is taken for as good as it looks, and the order of near
neighbours for surer than it is. So the width is found from the field itself (empirical Bayes), and what is not known of
it widens the intervals.
"""

from __future__ import annotations

import numpy as np

from ratings.statistics.official.algebra import inverse, product, tridiagonal
from ratings.statistics.official.likelihood import Shape
from ratings.statistics.official.results import Floats

PRIOR_DEVIATION = 3.0
"""The deviation (521 Elo) of what is not fitted: the seats' effects, the log deltas, and strengths beside anchors."""
_ROUNDS = 50
"""How often the field's deviation is improved: always as often, since a test of whether it is near enough would end
differently on another machine."""
_PENALTY = 0.5
"""What the sum of squares is divided by is so much less than the number of versions. By simulation a half neither lifts
nor lowers who leads a small table; without it few results make all bots equal."""


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
