"""The mean of scores between 0 and 1, with an interval that holds for few matches too. No I/O, no NumPy.

Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (1927). It is meant for
scores of 0 and 1; among all scores with one mean these vary most, so for others the interval is wider than it must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from ratings.statistics.errors import ResultsError

NORMAL_95 = 1.959964
"""The quantile of the normal distribution beyond which 2.5% lie."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean of some scores, and the interval that holds the true mean in 95 of 100 cases."""

    count: int
    mean: float
    low: float
    high: float


def mean_score(scores: Sequence[Fraction | float]) -> MeanScore:
    """Return the mean of scores of independent matches. Raises ResultsError without scores, or for one outside 0 to 1.

    Matches that differ in seats count alike; so the mean is one over the seats as they were drawn.
    """
    if not scores or not all(0 <= score <= 1 for score in scores):
        raise ResultsError("scores are numbers from 0 to 1, at least one of them")
    count, mean = len(scores), float(sum(scores) / len(scores))
    weight = NORMAL_95 * NORMAL_95 / count
    middle = (mean + weight / 2) / (1 + weight)
    half = NORMAL_95 / (1 + weight) * sqrt(mean * (1 - mean) / count + weight / (4 * count))
    return MeanScore(count, mean, max(middle - half, 0.0), min(middle + half, 1.0))
