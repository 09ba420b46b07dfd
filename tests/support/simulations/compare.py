"""The sequential test of `arena compare` on simulated steps: how often it is wrong, and how many steps it needs.

`python -m benchmarks.simulated_fields compare` runs it at length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, sqrt

import numpy as np

from arena.tournament.formats.compare import Compare, Design
from ratings.statistics.comparison import ComparedMatch, CompareSettings, ComparisonStep
from ratings.statistics.scores import expected_score
from tests.support.simulations.many_tests import Scores, bets, pentanomials

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What a step of two seats, two matches with ties, can give NEW."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: how often each score of `GRID` occurs, before it is tilted to a mean, and what is asked.

    The test is asked about a gain of `lower` and one that is greater by `gain`.
    """

    name: str
    weights: tuple[float, ...]
    gain: float = 0.03
    lower: float = 0.0
    share: float = 1.0
    """The part of the tests that is tried, where each takes long."""

    @property
    def upper(self) -> float:
        """The greater of the two gains asked about."""
        return self.lower + self.gain

    def part_of(self, tests: int) -> int:
        """Count the tests of this kind that are tried, out of so many."""
        return min(tests, max(round(self.share * tests), 20))


KINDS = (
    Kind("lone games, no ties", (1, 0, 2, 0, 1)),
    Kind("both matches to one side", (1, 0, 0.2, 0, 1)),
    Kind("the seat decides often", (1, 0, 3.2, 0, 1)),
    Kind("with ties", (1, 4, 6, 4, 1)),
    Kind("nine of ten steps equal", (0.5, 1, 90, 1, 0.5), 0.02),
    Kind("97 of 100 steps equal", (0.1, 0.6, 97, 0.6, 0.1), 0.01),
    Kind("small differences only", (0.0001, 30, 40, 30, 0.0001), 0.02),
    Kind("rare blunders of OLD", (0.05, 0.5, 90, 4, 1.45), 0.02),
    Kind("a big step", (1, 0, 2, 0, 1), 0.2),
    Kind("ties, a big step", (1, 4, 6, 4, 1), 0.12),
    Kind("no ties, --preset quick", (1, 0, 2, 0, 1), expected_score(60) - 0.5),
    Kind("--preset regression", (1, 4, 6, 4, 1), 0.5 - expected_score(-20), expected_score(-20) - 0.5),
    Kind("one side, --elo1 5", (1, 0, 0.2, 0, 1), expected_score(5) - 0.5, share=0.2),
)


def step_of(score: float) -> ComparisonStep:
    """A step of two seats and two rotations with this score."""
    ranks = {0.0: (2, 1), 0.5: (1, 1), 1.0: (1, 2)}
    one, other = next(both for both in product(ranks, repeat=2) if sum(both) == 2 * score)
    new, old = frozenset({0}), frozenset({1})
    digest = "same" if score == 0.5 else "other"
    return ComparisonStep(
        ((ComparedMatch(new, old, ranks[one], "same"), ComparedMatch(old, new, ranks[other][::-1], digest)),)
    )


STEPS = {score: step_of(score) for score in GRID}


def tilted(weights: Sequence[float], mean: float) -> list[float]:
    """The weights, exponentially tilted until the grid has this mean."""
    low, high = -200.0, 200.0
    found: list[float] = []
    for _ in range(100):
        middle = (low + high) / 2
        found = [weight * exp(middle * (value - 0.5)) for weight, value in zip(weights, GRID, strict=True)]
        reached = sum(weight * value for weight, value in zip(found, GRID, strict=True)) / sum(found)
        low, high = (middle, high) if reached < mean else (low, middle)
    return found


def settings_of(kind: Kind) -> CompareSettings:
    """What is asked of such a field, up to the limit that a command names by itself."""
    limit = Compare(2, lower=kind.lower, upper=kind.upper, design=Design.ALONE).usual_limit()
    return CompareSettings(kind.lower, kind.upper, max_steps=limit)


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a test answered what, and how many steps it took on average."""

    better: float
    not_better: float
    undecided: float
    steps: float


def rates(kind: Kind, gain: float, tests: int, seed: int = 1) -> Rates:
    """Run tests at once where NEW gains so much."""
    answers, steps = bets(settings_of(kind), _scores(kind, gain, tests, seed))
    better, not_better, undecided = (float(np.mean(answers == answer)) for answer in (1, -1, 0))
    return Rates(better, not_better, undecided, float(steps.mean()))


def pentanomial_steps(kind: Kind, gain: float, tests: int, seed: int = 1) -> float:
    """How many steps the test of fishtest takes on average, asked the same."""
    return float(pentanomials(settings_of(kind), _scores(kind, gain, tests, seed))[1].mean())


def _scores(kind: Kind, gain: float, tests: int, seed: int) -> Scores:
    return Scores(GRID, tilted(kind.weights, 0.5 + gain), tests, seed)


def allowed(rate: float, tests: int) -> float:
    """A rate, and what Monte-Carlo error may add to it."""
    return rate + 2.6 * sqrt(rate * (1 - rate) / tests)
