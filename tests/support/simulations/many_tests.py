"""Many sequential tests at once: the bets of `ratings.statistics.comparison`, and fishtest's test beside them. No I/O.

The same formulas over arrays whose first axis is the test; tests hold them together with those that are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np

from ratings.statistics import comparison
from ratings.statistics.comparison import CompareSettings
from ratings.statistics.results import Bools, Floats, Ints
from tests.support.simulations.pentanomial import BOUND, LOOK_EVERY, UNSEEN

_NEWTON = 30


class Capitals:
    """The capitals of many gamblers who bet against the same mean; see `ratings.statistics.comparison.Capital`."""

    def __init__(self, null: float, asked: float, goal: float, tests: int) -> None:
        self.null, self.asked, self.goal, self.count = null, asked, goal, 0
        self.total, self.squares = np.zeros(tests), np.zeros(tests)
        first = comparison.Capital.begin(null, asked, goal)
        self.careful, self.bold = np.full(tests, first.careful), np.full(tests, first.bold)

    @property
    def logarithm(self) -> Floats:
        return np.asarray(np.logaddexp(self.careful, self.bold))

    def add(self, values: Floats) -> None:
        """Let each bet on its next value."""
        middle, weight = (self.null + self.asked) / 2, self.count + comparison.PRIOR_VALUES
        mean = (self.total + comparison.PRIOR_VALUES * middle) / weight
        prior = comparison.PRIOR_VALUES * (comparison.PRIOR_VARIANCE + middle * middle)
        variance = (self.squares + prior) / weight - mean * mean
        believed = mean - comparison.DOUBT * np.sqrt(variance / weight) - self.null
        careful = self._stake(np.maximum(self.asked - self.null, believed), variance)
        bold = self._stake(np.full_like(mean, comparison.BIG_GAIN), variance)
        likely = np.minimum(mean + np.sqrt(variance), 1.0) - self.null
        gained = (values - self.null) * self._needed(careful * likely, bold * likely)
        self.careful = self.careful + np.log1p(careful * gained)
        self.bold = self.bold + np.log1p(bold * gained)
        self.total, self.squares, self.count = self.total + values, self.squares + values**2, self.count + 1

    def _stake(self, gain: Floats, variance: Floats) -> Floats:
        return np.minimum(gain / (variance + gain * gain), comparison.MOST_RISKED / self.null)

    def _needed(self, careful: Floats, bold: Floats) -> Floats:
        now, goal = np.exp(self.logarithm), exp(self.goal)
        won = np.exp(self.careful) * careful + np.exp(self.bold) * bold
        part = np.maximum((goal * (1 + 1e-9) - now) / np.where(won > 0, won, 1.0), comparison.LEAST_OF_STAKE)
        return np.where((now < goal) & (now + won > goal), part, 1.0)

    def keep(self, which: Bools) -> None:
        """Go on with some of them."""
        self.total, self.squares = self.total[which], self.squares[which]
        self.careful, self.bold = self.careful[which], self.bold[which]


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
