"""The sequential test of `arena compare` on simulated steps: how often it is wrong, and how many steps it needs.

`python -m benchmarks.compare` runs it at length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, sqrt
from random import Random

from ratings.statistics.compare.comparison import Answer, CompareSettings, Comparison
from ratings.statistics.compare.games import Game, Step
from tests.support.simulations.pentanomial import pairs_of_pentanomial

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What a step of two seats, two matches with ties, can give NEW."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of field: how often each score of `GRID` occurs, before it is tilted to a mean, and the gain asked for."""

    name: str
    weights: tuple[float, ...]
    gain: float = 0.03


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
)


def step_of(score: float) -> Step:
    """A step of two seats and two rotations with this score."""
    ranks = {0.0: (2, 1), 0.5: (1, 1), 1.0: (1, 2)}
    one, other = next(both for both in product(ranks, repeat=2) if sum(both) == 2 * score)
    new, old = frozenset({0}), frozenset({1})
    digest = "same" if score == 0.5 else "other"
    return Step(((Game(new, old, ranks[one], "same"), Game(old, new, ranks[other][::-1], digest)),))


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
    """What is asked of such a field."""
    return CompareSettings(upper=kind.gain)


def run(kind: Kind, gain: float, seed: int) -> Comparison:
    """One test to its end, in a field in which NEW gains so much."""
    random = Random(seed)
    weights = tilted(kind.weights, 0.5 + gain)
    comparison = Comparison.of(settings_of(kind))
    while comparison.answer is None:
        for value in random.choices(GRID, weights, k=50):
            comparison = comparison.after(STEPS[value])
            if comparison.answer is not None:
                break
    return comparison


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a test answered what, and how many steps it took on average."""

    better: float
    not_better: float
    undecided: float
    steps: float


def rates(kind: Kind, gain: float, tests: int) -> Rates:
    """Run tests with seeds from 0 where NEW gains so much."""
    ends = [run(kind, gain, seed) for seed in range(tests)]
    shares = {answer: sum(end.answer is answer for end in ends) / tests for answer in Answer}
    steps = sum(end.answered_after or 0 for end in ends) / tests
    return Rates(shares[Answer.BETTER], shares[Answer.NOT_BETTER], shares[Answer.UNDECIDED], steps)


def pentanomial_steps(kind: Kind, gain: float, tests: int) -> float:
    """How many steps the test of fishtest takes on average, asked the same."""
    weights = tilted(kind.weights, 0.5 + gain)
    most = settings_of(kind).max_steps
    taken = [pairs_of_pentanomial(Random(seed), GRID, weights, 0.5, 0.5 + kind.gain, most) for seed in range(tests)]
    return sum(taken) / tests


def allowed(rate: float, tests: int) -> float:
    """A rate, and what Monte-Carlo error may add to it."""
    return rate + 2.6 * sqrt(rate * (1 - rate) / tests)
