"""Newton's method on the likelihood with a weak prior, some strengths held fixed. No I/O.

The prior is normal with a standard deviation of 3 (521 Elo) on each seat's effect and on each log delta, and on each
strength's distance from the field's mean with the deviation that this field shows (empirical Bayes), or 3 where anchors
fix numbers: a bot that won or lost everything gets a finite strength, two fields that never met are both placed around
the mean, who leads after few matches is not taken for as good as it looks, and a field with data hardly feels it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratings.statistics.errors import ResultsError
from ratings.statistics.official.algebra import inner, product, solve
from ratings.statistics.official.deviation import PRIOR_DEVIATION, doubt_of, field_deviation, precisions
from ratings.statistics.official.likelihood import Shape, evaluate, log_likelihood
from ratings.statistics.official.results import Floats, Ints
from ratings.statistics.official.stages import Stages, thinned

_TOLERANCE = 1e-9
_MAX_STEPS = 60
_FEW = 20_000


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
    prior = _prior(shape, bool(fixed))
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


def _prior(shape: Shape, is_anchored: bool) -> Floats:
    """Return the precision of the wide prior, whose mean is 0 or, if there are anchors, theirs."""
    precision = np.eye(shape.size)
    if is_anchored:
        precision[: shape.versions, : shape.versions] -= 1 / shape.versions
    return precision / PRIOR_DEVIATION**2


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
