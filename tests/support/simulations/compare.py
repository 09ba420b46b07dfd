"""The sequential test of `arena compare` on simulated blocks: how often it is wrong, and how many blocks it needs.

`python -m benchmarks.compare` runs it at length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, sqrt
from random import Random

from ratings.statistics.compare.comparison import Answer, CompareSettings, Comparison
from ratings.statistics.compare.games import Game, PairedBlock

GRID = tuple(step / 4 for step in range(-4, 5))
"""What the difference of two matches each can be, in blocks of two seats with ties."""


DEFAULT = CompareSettings()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of pairs: how often each difference of `GRID` occurs, before it is tilted to a mean."""

    name: str
    weights: tuple[float, ...]
    settings: CompareSettings = DEFAULT


KINDS = (
    Kind("lone games, no ties", (1, 0, 4, 0, 6, 0, 4, 0, 1)),
    Kind("with ties", (1, 4, 10, 16, 19, 16, 10, 4, 1)),
    Kind("nine of ten pairs equal", (0.5, 0, 1, 1, 90, 1, 1, 0, 0.5), CompareSettings(upper=0.02)),
    Kind("97 of 100 pairs equal", (0.1, 0, 0.6, 0, 97, 0, 0.6, 0, 0.1), CompareSettings(upper=0.02)),
    Kind("small differences only", (0, 0, 0, 30, 40, 30, 0, 0, 0), CompareSettings(upper=0.04)),
    Kind("rare blunders of OLD", (0.05, 0, 0.5, 12, 80, 4, 2, 0, 1.45), CompareSettings(upper=0.04)),
    Kind("few pairs: a big step", (1, 0, 4, 0, 6, 0, 4, 0, 1), CompareSettings(upper=0.4)),
    Kind("few pairs: ties, a big step", (1, 4, 10, 16, 19, 16, 10, 4, 1), CompareSettings(upper=0.25)),
)


def block_of(difference: float) -> PairedBlock:
    """A pair of blocks, two seats and two rotations each, with this difference."""
    scores = (((2, 1), 0.0), ((1, 1), 0.5), ((1, 2), 1.0))
    for ours, theirs in product(product(scores, repeat=2), repeat=2):
        if sum(score for _, score in ours) - sum(score for _, score in theirs) == 2 * difference:
            same = difference == 0
            new = tuple(Game(seat, _seen(ranks, seat), f"{seat}") for seat, (ranks, _) in enumerate(ours))
            old = tuple(
                Game(seat, _seen(ranks, seat), f"{seat}" if same else f"old {seat}")
                for seat, (ranks, _) in enumerate(theirs)
            )
            return PairedBlock(new, old)
    raise AssertionError(difference)


def _seen(ranks: tuple[int, int], seat: int) -> tuple[int, int]:
    return ranks if seat == 0 else (ranks[1], ranks[0])


BLOCKS = {difference: block_of(difference) for difference in GRID}


def tilted(weights: Sequence[float], mean: float) -> list[float]:
    """The weights, exponentially tilted until the grid has this mean."""
    low, high = -60.0, 60.0
    found: list[float] = []
    for _ in range(100):
        middle = (low + high) / 2
        found = [weight * exp(middle * value) for weight, value in zip(weights, GRID, strict=True)]
        reached = sum(weight * value for weight, value in zip(found, GRID, strict=True)) / sum(found)
        low, high = (middle, high) if reached < mean else (low, middle)
    return found


def run(kind: Kind, mean: float, seed: int) -> Comparison:
    """One test to its end."""
    random = Random(seed)
    weights = tilted(kind.weights, mean)
    comparison = Comparison(kind.settings)
    while comparison.answer is None:
        for value in random.choices(GRID, weights, k=50):
            comparison = comparison.after(BLOCKS[value])
            if comparison.answer is not None:
                break
    return comparison


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a test was wrong and undecided, and how many pairs it took on average."""

    wrong: float
    undecided: float
    pairs: float


def rates(kind: Kind, tests: int, *, is_better: bool) -> Rates:
    """Run tests with seeds from 0 at the upper hypothesis (`is_better`) or the lower."""
    mean, wrong = (kind.settings.upper, Answer.NOT_BETTER) if is_better else (kind.settings.lower, Answer.BETTER)
    ends = [run(kind, mean, seed) for seed in range(tests)]
    return Rates(
        sum(end.answer is wrong for end in ends) / tests,
        sum(end.answer is Answer.UNDECIDED for end in ends) / tests,
        sum(end.answered_after or 0 for end in ends) / tests,
    )


def allowed(rate: float, tests: int) -> float:
    """A rate, and what Monte-Carlo error may add to it."""
    return rate + 2.6 * sqrt(rate * (1 - rate) / tests)
