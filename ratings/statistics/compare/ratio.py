"""The generalised likelihood ratio of two means, the distribution else unknown. No I/O.

Source: M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution" (2019),
as used by fishtest (stat_util.py, LLRcalc.py): each hypothesis gets the distribution on the values seen that is most
likely given its mean; with multiplier t it is p(a) = p_seen(a) / (1 + t * (a - mean)), where t is the root of
sum p_seen(a) * (a - mean) / (1 + t * (a - mean)) = 0. Where fishtest gives values not seen a
thousandth of a count, here -1 and 1 get half a count each. So a run of equal pairs proves no more than it can, namely
that differences are rare: with `upper` 0.02 the test ends after 207 of them, an exact one would after 149.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log, log1p

PSEUDO = 0.5
_STEPS = 100
_EXACT = 1e-12


def log_ratio(counts: Mapping[float, int], lower: float, upper: float) -> float:
    """Return the log likelihood of mean `upper` less that of mean `lower`, both in (-1, 1).

    `counts` tells how often each value was seen.
    """
    seen: dict[float, float] = dict(counts)
    for extreme in (-1.0, 1.0):
        seen[extreme] = seen.get(extreme, 0.0) + PSEUDO
    values = sorted(seen.items())  # so that the order of summation is always the same
    below, above = (_multiplier(values, mean) for mean in (lower, upper))
    return sum(count * (log1p(below * (value - lower)) - log1p(above * (value - upper))) for value, count in values)


def _multiplier(values: list[tuple[float, float]], mean: float) -> float:
    """Return the root t of sum count * (value - mean) / (1 + t * (value - mean)).

    The sum falls in t, so Newton's method finds the root, kept within bounds by bisection.
    """
    low = -1 / (values[-1][0] - mean)
    high = -1 / (values[0][0] - mean)
    t = 0.0
    for _ in range(_STEPS):
        height = slope = 0.0
        for value, count in values:
            term = (value - mean) / (1 + t * (value - mean))
            height += count * term
            slope += count * term * term
        low, high = (t, high) if height > 0 else (low, t)
        step = height / slope
        if abs(step) < _EXACT:
            break
        t = t + step if low < t + step < high else (low + high) / 2
    return t


def wald_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Return the log ratios at which a sequential test accepts the lower and the upper hypothesis (Wald 1945)."""
    return log(beta / (1 - alpha)), log((1 - beta) / alpha)
