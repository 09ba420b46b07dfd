"""The sequential test of NEW against OLD: fed with paired blocks in planned order, it says when it knows. No I/O.

    comparison = Comparison(CompareSettings())
    comparison = comparison.after(PairedBlock(new=(Game(0, (1, 2), digest), ...), old=...))
    comparison.answer

The two hypotheses are means of the paired difference of normalised rank: "NEW gains nothing" (`lower`) and "NEW gains
`upper`". If NEW gains at most `lower`, BETTER is answered with probability at most alpha; if at least `upper`,
NOT_BETTER with at most beta; in between either may come. The ratio is `ratio.log_ratio`, the bounds are Wald's.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import sqrt

from ratings.statistics.compare.games import PairedBlock
from ratings.statistics.compare.ratio import log_ratio, wald_bounds
from ratings.statistics.errors import ResultsError


class Answer(enum.StrEnum):
    """What a comparison says when it ends."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"
    """All pairs were played, and the test still does not know."""


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """What is asked, and how sure the answer must be.

    Means are differences of normalised rank; 0.03 is about 20 Elo with two seats. `min_pairs` are played before any
    answer, because fewer tell nothing about the variance. Raises ResultsError.
    """

    lower: float = 0.0
    upper: float = 0.03
    alpha: float = 0.05
    beta: float = 0.05
    min_pairs: int = 12
    max_pairs: int = 2000

    def __post_init__(self) -> None:
        if not -1 < self.lower < self.upper < 1:
            raise ResultsError(f"{self.lower} and {self.upper} are no two means in ascending order between -1 and 1")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ResultsError(f"error rates {self.alpha} and {self.beta} are not between 0 and 0.5")
        if not 1 <= self.min_pairs <= self.max_pairs:
            raise ResultsError(f"{self.max_pairs} blocks at most are fewer than the {self.min_pairs} that are needed")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known after some pairs; a value, of which `after` gives the next.

    `answer` is None while the test goes on, and `answered_after` is the number of pairs after which it came; pairs that
    were under way then still change the figures, but never the answer. `identical` counts the pairs of blocks that went
    move by move the same, `identical_games` the games that did so, out of `games`.
    """

    settings: CompareSettings = field(default_factory=CompareSettings)
    differences: Mapping[Fraction, int] = field(default_factory=dict)
    answer: Answer | None = None
    answered_after: int | None = None
    identical: int = 0
    identical_games: int = 0
    games: int = 0

    def after(self, block: PairedBlock) -> Comparison:
        """Return what is known with one more pair of blocks."""
        same = block.identical_games
        seen = replace(
            self,
            differences={**self.differences, block.difference: self.differences.get(block.difference, 0) + 1},
            identical=self.identical + (same == len(block.new)),
            identical_games=self.identical_games + same,
            games=self.games + len(block.new),
        )
        return seen if self.answer is not None else seen._judged()

    def _judged(self) -> Comparison:
        low, high = self.bounds
        ratio = self.log_ratio if self.pairs >= self.settings.min_pairs else 0.0
        answer = None
        if ratio >= high:
            answer = Answer.BETTER
        elif ratio <= low:
            answer = Answer.NOT_BETTER
        elif self.pairs >= self.settings.max_pairs:
            answer = Answer.UNDECIDED
        return self if answer is None else replace(self, answer=answer, answered_after=self.pairs)

    @property
    def pairs(self) -> int:
        """Count the paired blocks that were played."""
        return sum(self.differences.values())

    @property
    def log_ratio(self) -> float:
        """Return the log likelihood ratio; above 0 it speaks for NEW."""
        counts = {float(value): count for value, count in self.differences.items()}
        return log_ratio(counts, self.settings.lower, self.settings.upper) if counts else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the ratios at which the test ends with NOT_BETTER and with BETTER."""
        return wald_bounds(self.settings.alpha, self.settings.beta)

    @property
    def mean(self) -> float:
        """Return the mean difference so far.

        As with any sequential test, stopping biases it away from the undecided.
        """
        pairs = self.pairs
        return float(sum(value * count for value, count in self.differences.items()) / pairs) if pairs else 0.0

    @property
    def error(self) -> float:
        """Return the standard error of the mean, 0 before the second pair."""
        pairs, mean = self.pairs, self.mean
        if pairs < 2:
            return 0.0
        squares = sum(count * (float(value) - mean) ** 2 for value, count in self.differences.items())
        return sqrt(squares / (pairs - 1) / pairs)
