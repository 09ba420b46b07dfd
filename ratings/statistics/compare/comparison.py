"""The sequential test of NEW against OLD: fed with steps in planned order, it says when it knows. No I/O.

    comparison = Comparison.of(CompareSettings()) comparison =
    comparison.after(ComparisonStep(((ComparedMatch(frozenset({0}), frozenset({1}), (1, 2), digest), ...),)))
    comparison.answer

It is asked about two expected scores of NEW against OLD, `low` and `high`. If NEW's is at most `low`, BETTER is
answered with probability at most alpha; if it is at least `high`, NOT_BETTER with at most beta; in between either may
come.
Two capitals bet, one against "at most `low`", one against "at least `high`" (`betting.py`): the first that reaches
1 / alpha or 1 / beta gives the answer.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, erf, log, sqrt
from typing import Any

from engine.text import Text
from ratings.statistics.compare.betting import Capital
from ratings.statistics.compare.steps import ComparisonStep
from ratings.statistics.errors import ResultsError

SURE = 1.96
"""So many standard errors on either side hold 95 % of a normal distribution."""
_STEPS_TIMES_GAP = 9.0


def usual_steps(lower: float, upper: float, alpha: float, beta: float) -> int:
    """Return so many steps that a test so asked is undecided after them in fewer than 5 % of cases.

    The steps that a test needs grow with the square of what its capital must reach, in logarithms, over that of what
    tells the two gains apart. The factor is that of the worst case: no draws, both matches always to one side, and a
    gain half-way between the two.
    """
    reach = max(log(alpha) / log(0.05), log(beta) / log(0.05))
    return ceil(_STEPS_TIMES_GAP * (reach / (upper - lower)) ** 2)


class ComparisonAnswer(enum.StrEnum):
    """What a comparison says when it ends."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"
    """All steps were played, and the test still does not know."""


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """What is asked, and how sure the answer must be. Scores are gains over one half. Raises ResultsError.

    A gain of 0.029 is 20 Elo (`ratings.statistics.elo`).
    """

    lower: float = 0.0
    upper: float = 0.03
    alpha: float = 0.05
    beta: float = 0.05
    max_steps: int = 10_000

    def __post_init__(self) -> None:
        if not -0.5 < self.lower < self.upper < 0.5:
            raise ResultsError(
                Text(
                    "ratings.no_two_gains_between_0",
                    "{name} and {other} are no two gains between -0.5 and 0.5, the smaller one first",
                    name=self.lower,
                    other=self.upper,
                )
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ResultsError(
                Text(
                    "ratings.error_rates_not_between_0",
                    "error rates {alpha} and {beta} are not between 0 and 0.5",
                    alpha=self.alpha,
                    beta=self.beta,
                )
            )
        if self.max_steps < 1:
            raise ResultsError(
                Text(
                    "ratings.steps_most_no_test_use",
                    "{most} steps at most are no test; use 1 or more",
                    most=self.max_steps,
                )
            )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known after some steps; a value, of which `after` gives the next.

    `answer` is None while the test goes on, and `answered_after` is the number of steps after which it came; steps
    that were under way then still change the figures, but never the answer. `scores` tells how often each score of NEW
    came, `identical` counts the steps of which all games went move by move the same with changed places,
    `identical_games` the games that did, out of `games`. `outcomes` tells how often NEW was ahead of OLD, level and
    behind, and `forfeits` how many matches each of the two forfeited.
    """

    settings: CompareSettings
    better: Capital
    """Bets that NEW is better than `lower` says."""
    not_better: Capital
    """Bets that it is worse than `upper` says; it sees OLD's score."""
    scores: Mapping[Fraction, int] = field(default_factory=dict)
    answer: ComparisonAnswer | None = None
    answered_after: int | None = None
    identical: int = 0
    identical_games: int = 0
    games: int = 0
    outcomes: tuple[int, int, int] = (0, 0, 0)
    forfeits: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, settings: CompareSettings) -> Comparison:
        """Return what is known before the first step."""
        low, high = 0.5 + settings.lower, 0.5 + settings.upper
        better = Capital.begin(low, high, -log(settings.alpha))
        return cls(settings, better, Capital.begin(1 - high, 1 - low, -log(settings.beta)))

    def after(self, step: ComparisonStep) -> Comparison:
        """Return what is known with one more step."""
        score, same, games = step.score, step.identical_games, 2 * len(step.games)
        seen = replace(
            self,
            better=self.better.after(float(score)),
            not_better=self.not_better.after(float(1 - score)),
            scores={**self.scores, score: self.scores.get(score, 0) + 1},
            identical=self.identical + (same == games),
            identical_games=self.identical_games + same,
            games=self.games + games,
            outcomes=_sum(self.outcomes, step.outcomes),
            forfeits=_sum(self.forfeits, step.forfeits),
        )
        return seen if self.answer is not None else seen._judged()

    def _judged(self) -> Comparison:
        low, high = self.bounds
        answer = None
        if self.better.logarithm >= high:
            answer = ComparisonAnswer.BETTER
        elif self.not_better.logarithm >= -low:
            answer = ComparisonAnswer.NOT_BETTER
        elif self.steps >= self.settings.max_steps:
            answer = ComparisonAnswer.UNDECIDED
        return self if answer is None else replace(self, answer=answer, answered_after=self.steps)

    @property
    def steps(self) -> int:
        """Count the steps that were played."""
        return sum(self.scores.values())

    @property
    def log_ratio(self) -> float:
        """Return what speaks for BETTER (above 0) or for NOT_BETTER (below): the log of the larger capital over 1."""
        if not self.scores:
            return 0.0
        better, not_better = self.better.logarithm, self.not_better.logarithm
        return max(better, 0.0) if better >= not_better else -max(not_better, 0.0)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return where `log_ratio` ends the test with NOT_BETTER and with BETTER."""
        return log(self.settings.beta), -log(self.settings.alpha)

    @property
    def gain(self) -> float:
        """Return the mean score of NEW so far less one half; 0 before the first step.

        As with any sequential test, stopping biases it away from the undecided.
        """
        steps = self.steps
        return float(sum(score * count for score, count in self.scores.items()) / steps) - 0.5 if steps else 0.0

    @property
    def error(self) -> float:
        """Return the standard error of the gain, 0 before the second step."""
        steps, mean = self.steps, self.gain + 0.5
        if steps < 2:
            return 0.0
        squares = sum(count * (float(score) - mean) ** 2 for score, count in self.scores.items())
        return sqrt(squares / (steps - 1) / steps)

    @property
    def interval(self) -> tuple[float, float]:
        """Return between which gains the true one lies with 95 %, were the test not stopped for what it saw.

        It is normal and never beyond what a gain can be. Where all scores are equal they show no spread; then by the
        rule of three (Hanley and Lippman-Hand 1983) the others that may come are no more than 3 of as many.
        """
        reach = SURE * self._doubt
        return max(self.gain - reach, -0.5), min(self.gain + reach, 0.5)

    @property
    def superiority(self) -> float:
        """Return the likelihood of superiority: the chance that the gain is above 0, by the normal distribution."""
        return 0.5 * (1 + erf(self.gain / self._doubt / sqrt(2)))

    @property
    def _doubt(self) -> float:
        return self.error or 3 / SURE / max(self.steps, 1)


def _sum(one: Sequence[int], other: Sequence[int]) -> tuple[Any, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
