"""The likelihood ratio of two means against its definition: the most likely distributions that have these means."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import pytest

from ratings.statistics.compare.ratio import PSEUDO, log_ratio


def greatest_likelihood(counts: Mapping[float, int], mean: float) -> float:
    """The log likelihood of the likeliest distribution on the values seen (-1 and 1 among them) that has this mean.

    Its probabilities are count / (total * (1 + t * (value - mean))); t is found by halving, where their sum is 1.
    """
    seen = {value: counts.get(value, 0) + (PSEUDO if abs(value) == 1 else 0.0) for value in {*counts, -1.0, 1.0}}
    total = sum(seen.values())

    def excess(t: float) -> float:
        return sum(count * (value - mean) / (1 + t * (value - mean)) for value, count in seen.items())

    low, high = -1 / (1 - mean), 1 / (1 + mean)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    chances = {value: count / total / (1 + low * (value - mean)) for value, count in seen.items()}
    assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
    assert sum(value * chance for value, chance in chances.items()) == pytest.approx(mean, abs=1e-6)
    return sum(seen[value] * log(chance) for value, chance in chances.items())


@pytest.mark.parametrize(
    "counts",
    [
        {0.5: 30, 0.25: 30},
        {-0.5: 40, 0.25: 20},
        {1.0: 200},
        {-1.0: 200},
        {0.0: 500},
        {-0.9: 3, 0.9: 300},
        {-0.9: 300, 0.9: 3},
        {1.0: 1},
    ],
)
@pytest.mark.parametrize(("lower", "upper"), [(0.0, 0.03), (-0.6, 0.6), (0.5, 0.9), (-0.95, -0.9)])
def test_it_compares_the_likeliest_distributions_of_both_means(
    counts: dict[float, int], lower: float, upper: float
) -> None:
    expected = greatest_likelihood(counts, upper) - greatest_likelihood(counts, lower)
    assert log_ratio(counts, lower, upper) == pytest.approx(expected, rel=1e-6, abs=1e-6)
