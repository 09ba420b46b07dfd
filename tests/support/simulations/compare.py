"""The sequential test of `arena compare`, and fishtest's beside it: on simulated steps, and many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log, log1p, sqrt

import numpy as np

from arena.tournament.formats.compare import Compare, Design, design_for, step_orders
from arena.tournament.formats.format import BlockState, PlayedBlock
from ratings.statistics import sequential_test as comparison
from ratings.statistics.blocks import rotations
from ratings.statistics.official_table import ELO_PER_UNIT
from ratings.statistics.results import Bools, Floats, Ints
from ratings.statistics.scores import expected_score
from ratings.statistics.sequential_test import (
    ComparedMatch,
    CompareSettings,
    Comparison,
    ComparisonAnswer,
    ComparisonStep,
)
from tests.support.simulations.fields import draw_ranks

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


_NEWTON = 30


class Capitals:
    """The capitals of many gamblers who bet against the same mean; see `ratings.statistics.sequential_test.Capital`."""

    def __init__(self, null: float, asked: float, goal: float, tests: int) -> None:
        self.null, self.asked, self.goal, self.count = null, asked, goal, 0
        self.total, self.squares = np.zeros(tests), np.zeros(tests)
        first = comparison.Capital.begin(null, asked, goal)
        self.careful, self.modest, self.bold = (
            np.full(tests, part) for part in (first.careful, first.modest, first.bold)
        )

    @property
    def logarithm(self) -> Floats:
        return np.asarray(np.logaddexp(np.logaddexp(self.careful, self.modest), self.bold))

    def add(self, values: Floats) -> None:
        """Let each bet on its next value."""
        middle, weight = (self.null + self.asked) / 2, self.count + comparison.PRIOR_VALUES
        mean = (self.total + comparison.PRIOR_VALUES * middle) / weight
        prior = comparison.PRIOR_VALUES * (comparison.PRIOR_VARIANCE + middle * middle)
        variance = (self.squares + prior) / weight - mean * mean
        believed = mean - comparison.DOUBT * np.sqrt(variance / weight) - self.null
        gain = self.asked - self.null
        careful = self._stake(np.maximum(gain, believed), variance)
        modest = self._stake(np.full_like(mean, gain / 2), variance)
        bold = self._stake(np.full_like(mean, comparison.BIG_GAIN), variance)
        likely = np.minimum(mean + np.sqrt(variance), 1.0) - self.null
        gained = (values - self.null) * self._needed(careful * likely, modest * likely, bold * likely)
        self.careful = self.careful + np.log1p(careful * gained)
        self.modest = self.modest + np.log1p(modest * gained)
        self.bold = self.bold + np.log1p(bold * gained)
        self.total, self.squares, self.count = self.total + values, self.squares + values**2, self.count + 1

    def _stake(self, gain: Floats, variance: Floats) -> Floats:
        return np.minimum(gain / (variance + gain * gain), comparison.MOST_RISKED / self.null)

    def _needed(self, careful: Floats, modest: Floats, bold: Floats) -> Floats:
        now, goal = np.exp(self.logarithm), exp(self.goal)
        won = np.exp(self.careful) * careful + np.exp(self.modest) * modest + np.exp(self.bold) * bold
        part = np.maximum((goal * (1 + 1e-9) - now) / np.where(won > 0, won, 1.0), comparison.LEAST_OF_STAKE)
        return np.where((now < goal) & (now + won > goal), part, 1.0)

    def keep(self, which: Bools) -> None:
        """Go on with some of them."""
        self.total, self.squares = self.total[which], self.squares[which]
        self.careful, self.modest, self.bold = self.careful[which], self.modest[which], self.bold[which]


def bets(settings: CompareSettings, scores: Scores) -> tuple[Ints, Ints]:
    """Return the answer of each test (1 better, -1 not better, 0 undecided) and after how many steps it came."""
    low, high = 0.5 + settings.lower, 0.5 + settings.upper
    better = Capitals(low, high, -log(settings.alpha), scores.tests)
    worse = Capitals(1 - high, 1 - low, -log(settings.beta), scores.tests)
    ends = _Ends(scores.tests, settings.max_steps)
    for step in range(1, settings.max_steps + 1):
        drawn = scores.draw(ends.left)
        better.add(drawn)
        worse.add(1 - drawn)
        is_better = better.logarithm >= better.goal
        go_on = ends.end(step, is_better, worse.logarithm >= worse.goal)
        if go_on is not None:
            better.keep(go_on)
            worse.keep(go_on)
        if not len(ends.left):
            break
    return ends.answers, ends.steps


def pentanomials(settings: CompareSettings, scores: Scores) -> tuple[Ints, Ints]:
    """Return the same of fishtest's test (`pentanomial.py`), asked the same."""
    means = 0.5 + settings.lower, 0.5 + settings.upper
    counts = np.full((scores.tests, len(scores.grid)), UNSEEN)
    roots = [np.zeros(scores.tests), np.zeros(scores.tests)]
    ends = _Ends(scores.tests, settings.max_steps)
    for step in range(LOOK_EVERY, settings.max_steps + 1, LOOK_EVERY):
        for _ in range(LOOK_EVERY):
            counts[np.arange(len(counts)), scores.draw_places(ends.left)] += 1
        roots = [_roots(counts, scores.grid - mean, root) for mean, root in zip(means, roots, strict=True)]
        below, above = (np.log1p(root[:, None] * (scores.grid - mean)) for mean, root in zip(means, roots, strict=True))
        ratio = (counts * (below - above)).sum(axis=1)
        go_on = ends.end(step, ratio >= BOUND, ratio <= -BOUND)
        if go_on is not None:
            counts, roots = counts[go_on], [root[go_on] for root in roots]
        if not len(ends.left):
            break
    return ends.answers, ends.steps


class Scores:
    """Scores of steps, drawn for many tests."""

    def __init__(self, grid: Sequence[float], weights: Sequence[float], tests: int, seed: int) -> None:
        self.grid, self.tests = np.array(grid), tests
        self._cumulative = np.cumsum(weights) / np.sum(weights)
        self._random = np.random.default_rng(seed)

    def draw_places(self, which: Ints) -> Ints:
        """Return where on the grid the next scores of these tests lie."""
        found = np.searchsorted(self._cumulative, self._random.random(len(which)), side="right")
        return np.minimum(found, len(self.grid) - 1).astype(np.int64)

    def draw(self, which: Ints) -> Floats:
        """Return the next scores of these tests."""
        return np.asarray(self.grid[self.draw_places(which)])


class _Ends:
    """Which tests have ended, and how; `left` are the numbers of the others."""

    def __init__(self, tests: int, most: int) -> None:
        self.left: Ints = np.arange(tests)
        self.answers, self.steps = np.zeros(tests, np.int64), np.full(tests, most)

    def end(self, step: int, is_better: Bools, is_not: Bools) -> Bools | None:
        """End some of those that are left; return which of them go on, or `None` if all do."""
        is_over = is_better | is_not
        if not is_over.any():
            return None
        self.answers[self.left[is_over]] = np.where(is_better[is_over], 1, -1)
        self.steps[self.left[is_over]] = step
        self.left = self.left[~is_over]
        return np.asarray(~is_over)


def _roots(counts: Floats, gaps: Floats, start: Floats) -> Floats:
    """Return the multiplier of each test, by Newton's method kept within its bounds."""
    low, high = np.full(len(counts), -1 / gaps.max()), np.full(len(counts), -1 / gaps.min())
    root = start
    for _ in range(_NEWTON):
        term = gaps / (1 + root[:, None] * gaps)
        height, slope = (counts * term).sum(axis=1), (counts * term * term).sum(axis=1)
        low, high = np.where(height > 0, root, low), np.where(height > 0, high, root)
        step = height / slope
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
        target = root + step
        root = np.where((low < target) & (target < high), target, (low + high) / 2)
    return root


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
    between: float = 0.5
    """The part of `gain` above `lower` that is tried between the two."""
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
    Kind("nine of ten equal, a third", (1, 2, 54, 2, 1), between=1 / 3),
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


COPIES_HELP = 200 / ELO_PER_UNIT
"""By how much each copy of NEW is better for each other one at its table."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Tables of NEW, OLD and `guests` of a field of one more, or of NEW and OLD alone; all equal but for that help."""

    name: str
    seats: int
    guests: int = 0


COPIES = (
    Copies("copies help, 3 seats alone", 3),
    Copies("copies help, 3 seats, field", 3, 1),
    Copies("copies help, 4 seats alone", 4),
    Copies("copies help, 4 seats, field", 4, 2),
)


def rates_of_copies(kind: Copies, tests: int) -> Rates:
    """Run tests that ask about no gain or 60 Elo; the seed of each is its number."""
    seats, guests = kind.seats, kind.guests
    bots = ["new", "old", *(f"bot{number}" for number in range(guests and guests + 1))]
    form = Compare(seats, design=design_for(seats, has_field=guests > 0), upper=expected_score(60) - 0.5)
    ends = [_with_help(form, bots, seed) for seed in range(tests)]
    better, not_better, undecided = (sum(end.answer is one for end in ends) / tests for one in ComparisonAnswer)
    return Rates(better, not_better, undecided, sum(end.steps for end in ends) / tests)


def _with_help(form: Compare, bots: Sequence[str], seed: int) -> Comparison:
    """Play steps of a comparison until it is answered."""
    random, found = np.random.default_rng((seed, 12)), Comparison.of(form.settings)
    new, old, *field = bots
    while found.answer is None:
        blocks = []
        for order in step_orders(new, old, field, form.seats, found.steps, seed):
            names = np.array(list(rotations(order)))
            is_new = names == new
            worths = COPIES_HELP * is_new * (is_new.sum(axis=1, keepdims=True) - 1)
            ranks = draw_ranks(worths, np.full(form.seats - 1, -1.0), random)
            digests = tuple(random.bytes(8).hex() for _ in range(form.seats))
            rows = tuple(map(tuple, ranks.tolist()))
            blocks.append(PlayedBlock(order, BlockState.WHOLE, rows, (frozenset(),) * form.seats, digests))
        found = found.after(form.step(blocks, new, old))
    return found


def _scores(kind: Kind, gain: float, tests: int, seed: int) -> Scores:
    return Scores(GRID, tilted(kind.weights, 0.5 + gain), tests, seed)


def allowed(rate: float, tests: int) -> float:
    """A rate, and what Monte-Carlo error may add to it."""
    return rate + 2.6 * sqrt(rate * (1 - rate) / tests)
