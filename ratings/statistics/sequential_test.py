"""The sequential test of NEW against OLD: it is fed with steps in planned order, and says when it knows. No I/O.

    comparison = Comparison.of(CompareSettings())
    games = ((ComparedMatch(frozenset({0}), frozenset({1}), (1, 2), digest), ...),)
    comparison = comparison.after(ComparisonStep(games))
    comparison.answer

The test asks about two expected scores of NEW against OLD, `low` and `high`: one half and the gains `lower` and `upper`
of `CompareSettings`. If NEW's score is at most `low`, BETTER is answered with probability at most alpha. If it is at
least `high`, NOT_BETTER is answered with probability at most beta. In between either may come. Two capitals bet, one
against "at most `low`", one against "at least `high`". The first that reaches 1 / alpha or 1 / beta gives the answer.

A step is the fewest matches that treat NEW and OLD alike. Where NEW and OLD sit at the same tables, its score is what
NEW took of the points between the two: 2 for every OLD that a NEW is ahead of, 1 for every one that shares its rank.
Where a field fills the tables of both in turn, it is one half and half the difference of their normalised ranks. Either
way it is exactly one half on average if NEW plays like OLD, because everybody sits in every seat, and what NEW and OLD
have beside them they have alike.

A capital is that of a gambler who bets against a mean. The mean gives the gambler no advantage, so the capital tells
what speaks against it. Source: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting"
(JRSS B 86, 2024). Before each value x of [0, 1] the gambler puts a stake s >= 0, chosen from what was seen before, on x
being above `null`, and the capital becomes 1 + s (x - null) times what it was. As long as no value has a mean above
`null`, whatever its distribution and whatever came before it, the capital is a non-negative supermartingale: the chance
that it ever reaches 1 / alpha is at most alpha (Ville 1939), however often one looks.

The stake that grows fastest at a mean m is about (m - null) / (variance + (m - null)^2). One part of the capital takes
for m the mean that is asked about, or what the values seen show beyond doubt to lie above it. Where the truth is near
the mean that is asked about, that part needs what a likelihood ratio of the two means needs. A small part bets on
`BIG_GAIN` from the start, and ends the test soon where the truth is that large. Another bets on half the gain that is
asked about. Where most steps are even and the truth lies between the two gains, both tests stake too much for it:
both capitals shrink, and without that part the test goes on until its limit.

Nothing is gained by a capital beyond the one that ends the test. So no more is staked than a value that is as high as
is likely needs to reach it. What would go beyond it (overshoot) is not risked, and the promise is used up.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, erf, exp, log, log1p, sqrt
from typing import Any

from engine.translatable import Text
from ratings.statistics.errors import ResultsError
from ratings.statistics.scores import most_points, points_between, seat_points

SURE = 1.96
"""So many standard errors on either side hold 95 % of a normal distribution."""
_STEPS_TIMES_GAP = 9.0
HALF = Fraction(1, 2)
SHARE_ON_BIG = 0.25
"""The part of the capital that bets on a big gain; the other part pays for it with log(1 / 0.75) = 0.29 of the 3 that a
test at 5 % needs. That is a tenth of the steps, and of many steps too much for the few that it may save: where the gain
that is asked about is below `FINE_GAIN`, the part is less in proportion."""
FINE_GAIN = 0.0144
"""10 Elo."""
SHARE_ON_HALF = 0.1
"""The part of the capital that bets on half the gain that is asked about; more of it helps no further."""
BIG_GAIN = 0.25
"""190 Elo."""
DOUBT = 1.75
"""How many standard errors below the mean seen a gain is believed."""
PRIOR_VALUES = 3.0
"""For how many values the prior counts: a mean half-way between the two, and the variance below."""
PRIOR_VARIANCE = 0.1
MOST_RISKED = 0.95
"""How much of the capital may be lost by one value."""
LEAST_OF_STAKE = 0.5
_ROUNDING = 1e-9


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

    A gain of 0.029 is 20 Elo (`ratings.statistics.scores`).
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
                    "{name} and {other} are no two gains between -0.5 and 0.5, the smaller one first",
                    name=self.lower,
                    other=self.upper,
                )
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ResultsError(
                Text("error rates {alpha} and {beta} are not between 0 and 0.5", alpha=self.alpha, beta=self.beta)
            )
        if self.max_steps < 1:
            raise ResultsError(Text("{most} steps at most are no test; use 1 or more", most=self.max_steps))


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
        if self.answer is not None:
            return seen
        low, high = seen.bounds
        answer = None
        if seen.better.logarithm >= high:
            answer = ComparisonAnswer.BETTER
        elif seen.not_better.logarithm >= -low:
            answer = ComparisonAnswer.NOT_BETTER
        elif seen.steps >= seen.settings.max_steps:
            answer = ComparisonAnswer.UNDECIDED
        return seen if answer is None else replace(seen, answer=answer, answered_after=seen.steps)

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


@dataclass(frozen=True, slots=True)
class ComparedMatch:
    """One match: the seats of NEW and of OLD, the ranks by seat (1 is best, ties share a rank), and its game digest.

    Raises ResultsError if a seat is not there or is both.
    """

    new: frozenset[int]
    old: frozenset[int]
    ranks: tuple[int, ...]
    digest: str

    def __post_init__(self) -> None:
        if self.new & self.old or not self.new | self.old or not self.new | self.old <= set(range(len(self.ranks))):
            raise ResultsError(
                f"the seats {sorted(self.new)} and {sorted(self.old)} do not fit {len(self.ranks)} seats"
            )

    @property
    def pairs(self) -> int:
        """Count the pairs of a seat of NEW and one of OLD."""
        return len(self.new) * len(self.old)

    @property
    def points(self) -> int:
        """Return what NEW took of the `2 * pairs` points between it and OLD."""
        return sum(points_between(self.ranks[new], self.ranks[old]) for new in self.new for old in self.old)

    def rank_score(self, seats: frozenset[int]) -> Fraction:
        """Return the mean normalised rank of these seats: 1 is best, 0 is last."""
        points = sum(seat_points(self.ranks, seat) for seat in seats)
        return Fraction(points, most_points(len(self.ranks)) * len(seats))


@dataclass(frozen=True, slots=True)
class ComparisonStep:
    """The matches of one step, each with the one in which NEW and OLD have changed places.

    Raises ResultsError if they have not.
    """

    games: tuple[tuple[ComparedMatch, ComparedMatch], ...]
    forfeits: tuple[int, int] = (0, 0)
    """How many matches NEW and OLD forfeited."""

    def __post_init__(self) -> None:
        if not self.games or any(_seats(one) != _seats(other)[::-1] for one, other in self.games):
            raise ResultsError("NEW and OLD did not play the same matches with changed places")
        if len({one.pairs == 0 for one, _ in self.games}) != 1:
            raise ResultsError("NEW and OLD meet in some matches of the step and not in others")

    @property
    def score(self) -> Fraction:
        """Return the exact score of NEW against OLD, 0 to 1; one half is as good."""
        games = [game for both in self.games for game in both]
        if pairs := sum(game.pairs for game in games):
            return Fraction(sum(game.points for game in games), 2 * pairs)
        new = [game.rank_score(game.new) for game in games if game.new]
        old = [game.rank_score(game.old) for game in games if game.old]
        return HALF + (sum(new) - sum(old)) / Fraction(2 * len(new))

    @property
    def outcomes(self) -> tuple[int, int, int]:
        """Return how often NEW was ahead of OLD, level, and behind.

        Where they do not meet, it is NEW's rank that is held against OLD's in the match with changed places.
        """
        found = [0, 0, 0]
        for one, other in self.games:
            if one.pairs:
                for game in (one, other):
                    for new in game.new:
                        for old in game.old:
                            found[1 + _sign(game.ranks[new] - game.ranks[old])] += 1
            else:
                ours, theirs = (one, other) if one.new else (other, one)
                found[1 + _sign(theirs.rank_score(theirs.old) - ours.rank_score(ours.new))] += 1
        ahead, level, behind = found
        return ahead, level, behind

    @property
    def identical_games(self) -> int:
        """Count the matches that went move by move like that with changed places."""
        return sum(2 * (one.digest == other.digest) for one, other in self.games)


def _sign(number: Fraction | int) -> int:
    return (number > 0) - (number < 0)


def _seats(game: ComparedMatch) -> tuple[frozenset[int], frozenset[int]]:
    return game.new, game.old


@dataclass(frozen=True, slots=True)
class Capital:
    """What betting on values above `null` has made of 1; a value, of which `after` gives the next.

    `asked` is the mean above `null` that the test must find out about. Both lie in (0, 1). `goal` is the logarithm of
    the capital at which the test ends.
    """

    null: float
    asked: float
    goal: float
    careful: float
    """The logarithms of the three parts."""
    modest: float
    bold: float
    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def begin(cls, null: float, asked: float, goal: float) -> Capital:
        """Return the capital of 1 before the first value."""
        share = SHARE_ON_BIG * min((asked - null) / FINE_GAIN, 1.0)
        return cls(null, asked, goal, log1p(-share - SHARE_ON_HALF), log(SHARE_ON_HALF), log(share))

    @property
    def logarithm(self) -> float:
        """Return the natural logarithm of the whole capital."""
        parts = self.careful, self.modest, self.bold
        high = max(parts)
        return high + log(sum(exp(part - high) for part in parts))

    def after(self, value: float) -> Capital:
        """Return the capital after one more value, which lies in [0, 1]."""
        # Mean and variance of the values seen and of the prior.
        middle, weight = (self.null + self.asked) / 2, self.count + PRIOR_VALUES
        mean = (self.total + PRIOR_VALUES * middle) / weight
        variance = (self.squares + PRIOR_VALUES * (PRIOR_VARIANCE + middle * middle)) / weight - mean * mean
        believed = mean - DOUBT * sqrt(variance / (self.count + PRIOR_VALUES)) - self.null
        gain = self.asked - self.null
        careful, modest, bold = (self._stake(one, variance) for one in (max(gain, believed), gain / 2, BIG_GAIN))
        likely = min(mean + sqrt(variance), 1.0) - self.null
        gained = (value - self.null) * self._needed(careful * likely, modest * likely, bold * likely)
        return replace(
            self,
            count=self.count + 1,
            total=self.total + value,
            squares=self.squares + value * value,
            careful=self.careful + log1p(careful * gained),
            modest=self.modest + log1p(modest * gained),
            bold=self.bold + log1p(bold * gained),
        )

    def _needed(self, careful: float, modest: float, bold: float) -> float:
        """Return the part of the stakes that reaches the goal, given what each would win; all of them at most.

        At least half of them, since the value that wins so much may never come.
        """
        now, goal = exp(self.logarithm), exp(self.goal) * (1 + _ROUNDING)
        most = now + exp(self.careful) * careful + exp(self.modest) * modest + exp(self.bold) * bold
        return max((goal - now) / (most - now), LEAST_OF_STAKE) if now < goal < most else 1.0

    def _stake(self, gain: float, variance: float) -> float:
        return min(gain / (variance + gain * gain), MOST_RISKED / self.null)
