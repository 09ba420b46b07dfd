"""Scores of seats and bots: points from ranks, kinds of first, means with an interval, and Elo. No I/O, no NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log10, sqrt
from typing import NamedTuple

from ratings.statistics.errors import ResultsError

NORMAL_95 = 1.959964
"""The quantile of the normal distribution beyond which 2.5% lie."""
POINTS_PER_TENFOLD = 400.0


def points_between(rank: int, other: int) -> int:
    """Return what a seat of `rank` (1 = best) gets from one opponent of rank `other`: 2, 1 or 0."""
    return 2 * (rank < other) + (rank == other)


def seat_points(ranks: Sequence[int], seat: int) -> int:
    """Return the points of one seat in a match; `ranks[seat]` is 1 for the best, and ties share a rank."""
    mine = ranks[seat]
    return sum(points_between(mine, other) for other in ranks) - points_between(mine, mine)  # not against itself


def match_points(ranks: Sequence[int]) -> list[int]:
    """Return the points of every seat in a match; index = seat."""
    return [seat_points(ranks, seat) for seat in range(len(ranks))]


def most_points(seats: int) -> int:
    """Return the points of a seat that beats all others."""
    return 2 * (seats - 1)


class Firsts(NamedTuple):
    """How often a seat, or whoever sat in it, ended with rank 1; a match counts in one of the three, or in none."""

    wins: int = 0
    """In how many matches it was first alone."""
    shared: int = 0
    """In how many it was first together with some of the others, but not with all."""
    draws: int = 0
    """In how many all were level."""


_NONE, _WIN, _SHARED, _DRAW = Firsts(), Firsts(wins=1), Firsts(shared=1), Firsts(draws=1)


def match_firsts(ranks: Sequence[int]) -> list[Firsts]:
    """Return which kind of first each seat of a match was; index = seat. Ranks are 1 for the best; ties share one."""
    at_the_top = sum(rank == 1 for rank in ranks)
    first = _WIN if at_the_top == 1 else _DRAW if at_the_top == len(ranks) else _SHARED
    return [first if rank == 1 else _NONE for rank in ranks]


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


def expected_score(elo: float) -> float:
    """Return the score, 0 to 1, that is expected of somebody so many Elo stronger."""
    return float(1 / (1 + 10 ** (-elo / POINTS_PER_TENFOLD)))


def elo_of(score: float) -> float:
    """Return by how many Elo somebody with that expected score, above 0 and below 1, is stronger."""
    return POINTS_PER_TENFOLD * log10(score / (1 - score))
