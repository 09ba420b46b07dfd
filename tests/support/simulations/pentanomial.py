"""The sequential test of fishtest, as a measure for ours: a likelihood ratio of two means of pairs of games.

Source: M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution" (2019),
as in fishtest's stat_util.py and LLRcalc.py: each hypothesis gets the distribution on the five scores of a pair that is
most likely given its mean; with multiplier t it is p(a) = p_seen(a) / (1 + t (a - mean)), where t is the root of
sum p_seen(a) (a - mean) / (1 + t (a - mean)) = 0. Scores not seen count a thousandth. Wald's bounds for 5 % and 5 %.
"""

from __future__ import annotations

from math import log, log1p

UNSEEN = 1e-3
BOUND = log(0.95 / 0.05)
LOOK_EVERY = 4
"""fishtest looks after batches of games."""
_STEPS = 50


def log_ratio(counts: dict[float, float], low: float, high: float) -> float:
    """Return the log likelihood of mean `high` less that of mean `low`."""
    below, above = (_multiplier(counts, mean) for mean in (low, high))
    return sum(
        count * (log1p(below * (value - low)) - log1p(above * (value - high))) for value, count in counts.items()
    )


def _multiplier(counts: dict[float, float], mean: float) -> float:
    low, high = -1 / (max(counts) - mean), -1 / (min(counts) - mean)
    t = 0.0
    for _ in range(_STEPS):
        height = slope = 0.0
        for value, count in counts.items():
            term = (value - mean) / (1 + t * (value - mean))
            height += count * term
            slope += count * term * term
        low, high = (t, high) if height > 0 else (low, t)
        step = height / slope
        if abs(step) < 1e-9:
            break
        t = t + step if low < t + step < high else (low + high) / 2
    return t
