"""What is assumed of the strengths of a field before its results: normal, wider along what hardly met. No I/O.

The width of the field is not known, and is learned from the results. A width near zero would take away differences that
add up along a chain of bots of like strength, and a wide one overrates whoever leads after few matches. So
`probabilities` weighs widths by how probable the results are under each (Laplace's approximation, made at the top
under that width: L. Tierney and J. B. Kadane, "Accurate approximations for posterior moments and marginal densities",
1986), and by a log-normal prior.

Who met whom may tell something that the results do not: bots of one division, of one era, or neighbours on somebody's
list are near each other, and the others may be far. `precision_by_meetings` therefore lets strengths vary more along
what hardly met: the covariance grows with the fourth power of the inverse of the Laplacian of the graph of meetings, up
to a bound (smooth functions on a graph as a prior: A. J. Smola and R. Kondor, "Kernels and regularization on graphs",
2003). Where each could have met each, as in a round robin, a Swiss tournament or a ladder, all vary alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log, sqrt

import numpy as np

from ratings.statistics.algebra import inverse, product
from ratings.statistics.results import Floats

_NARROWEST, _WIDEST, _WIDTHS = 0.08, 3.0, 8
_MEDIAN, _SPREAD = 0.8, 0.7
"""The log-normal prior of the width: its median (139 Elo), and the deviation of its logarithm."""
_FAR = 6.0
"""By how many times the width strengths vary, at most, along what hardly met."""
_CUT, _LEAST_LINK = 0.7, 0.05
"""Below which eigenvalue of the Laplacian a part of the field hardly met the rest, and what is added to each."""
_NEGLIGIBLE = 1e-3
_PEAKED = 0.6
_REFINED = 2


def precision_by_meetings(met: Floats) -> Floats:
    """Return the precision matrix of the strengths of a field of width 1, shape (versions, versions).

    `met[a, b]` is the share of the matches of `a` in which it met `b`, or could have met it; each row adds up to 1, or
    to 0 for a version that met nobody. Only differences of strengths count: each row of the result adds up to 0.
    """
    size = len(met)
    links = (met + met.T) / 2
    laplacian = np.diag(links.sum(axis=1)) - links
    smooth = _CUT * inverse(laplacian + _LEAST_LINK * np.eye(size))
    smooth = product(smooth, smooth)
    far = product(smooth, smooth)
    # The harmonic mean with the bound: 1 / (1 / far + 1 / _FAR**2).
    far = _FAR**2 * (np.eye(size) - inverse(np.eye(size) + far / _FAR**2))
    far -= far.mean(axis=0)
    far -= far.mean(axis=1, keepdims=True)
    return inverse(np.eye(size) + (far + far.T) / 2) - 1 / size


def likely_widths(log_evidence: Callable[[float], float]) -> tuple[list[float], Floats]:
    """Return the widths that count, the widest first, and their probabilities.

    `log_evidence` gives the log probability of the results under a width, up to a constant, and is asked for the widest
    first. Where the results leave little doubt of the width, further ones are tried between the likeliest and its
    neighbours. Those with a probability below 0.001 are left out.
    """
    found = {exp(place): 0.0 for place in np.linspace(log(_WIDEST), log(_NARROWEST), _WIDTHS).tolist()}
    for width in found:
        found[width] = log_evidence(width)
    for _ in range(_REFINED):
        widths = sorted(found, reverse=True)
        weights = probabilities(widths, [found[width] for width in widths])
        best = int(np.argmax(weights))
        if weights[best] < _PEAKED:
            break
        for other in widths[max(best - 1, 0) : best] + widths[best + 1 : best + 2]:
            between = sqrt(widths[best] * other)
            found[between] = log_evidence(between)
    widths = sorted(found, reverse=True)
    weights = probabilities(widths, [found[width] for width in widths])
    is_kept = weights > _NEGLIGIBLE
    return [width for width, keeps in zip(widths, is_kept.tolist(), strict=True) if keeps], weights[is_kept]


def probabilities(widths: Sequence[float], log_evidences: Sequence[float]) -> Floats:
    """Return the probability of each of some widths, in descending order, by the trapezoidal rule in the logarithm."""
    if len(widths) == 1:
        return np.ones(1)
    places = np.log(np.array(widths))
    gaps = -np.diff(places) / 2
    spans = np.concatenate([gaps, [0.0]]) + np.concatenate([[0.0], gaps])
    heights = np.array(log_evidences) - ((places - log(_MEDIAN)) / _SPREAD) ** 2 / 2
    weights = spans * np.exp(heights - heights.max())
    return np.asarray(weights / weights.sum())
