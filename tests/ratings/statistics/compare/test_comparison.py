"""The comparison of two versions: what it answers, what it counts, and that it errs no more often than it says."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.statistics.compare.comparison import CompareSettings, Comparison, ComparisonAnswer, usual_steps
from ratings.statistics.errors import ResultsError
from ratings.statistics.official.results import Ints
from tests.support.simulations.compare import GRID, KINDS, STEPS, Kind, allowed, rates, tilted
from tests.support.simulations.many_tests import Scores, bets, pentanomials
from tests.support.simulations.pentanomial import BOUND, LOOK_EVERY, UNSEEN, log_ratio

DEFAULT = CompareSettings()


def after(*scores: float, settings: CompareSettings = DEFAULT) -> Comparison:
    comparison = Comparison.of(settings)
    for score in scores:
        comparison = comparison.after(STEPS[score])
    return comparison


def test_nothing_is_known_before_the_first_step() -> None:
    fresh = Comparison.of(DEFAULT)
    assert (fresh.answer, fresh.steps, fresh.gain, fresh.error) == (None, 0, 0.0, 0.0)
    assert fresh.log_ratio == pytest.approx(0.0)
    assert fresh.bounds == pytest.approx((-log(20), log(20)))


def test_figures_are_those_of_the_steps() -> None:
    comparison = after(0.75, 0.75, 0.25, 0.75)
    assert comparison.steps == 4
    assert comparison.gain == 0.125
    assert comparison.error == pytest.approx(0.125)  # sqrt(4 * 0.25^2 * 3 / 4 / 3 / 4)


def test_two_steps_have_an_error_and_one_has_none() -> None:
    assert after(0.75).error == 0.0
    assert after(0.75, 0.5).error == pytest.approx(0.125)  # sqrt(2 * 0.125**2 / 1 / 2)


@given(st.lists(st.sampled_from(GRID), max_size=40))
def test_no_gain_is_told_that_a_score_cannot_show(scores: list[float]) -> None:
    found = after(*scores)
    low, high = found.interval
    assert -0.5 <= low <= found.gain <= high <= 0.5
    assert 0.0 < found.superiority < 1.0 or abs(found.gain) > 8 * found.error
    assert sum(found.outcomes) == found.games == 2 * len(scores)


def test_equal_scores_show_no_spread_and_yet_not_everything() -> None:
    assert after(1.0).interval == (-0.5, 0.5)
    assert after(*[1.0] * 12).interval == pytest.approx((0.25, 0.5))  # 3 of 12 may be others
    assert after(*[0.5] * 300).interval == pytest.approx((-0.01, 0.01))
    assert after(*[0.5] * 300).superiority == pytest.approx(0.5)


def test_the_chance_of_superiority_is_that_of_the_normal_distribution() -> None:
    assert after(0.75, 0.75, 0.25, 0.75).superiority == pytest.approx(0.8413, abs=1e-4)  # one standard error
    assert after(0.25, 0.25, 0.75, 0.25).superiority == pytest.approx(0.1587, abs=1e-4)


def test_one_step_may_be_all_that_is_played() -> None:
    assert after(0.5, settings=CompareSettings(max_steps=1)).answer is ComparisonAnswer.UNDECIDED


def test_who_wins_everything_is_better_and_who_loses_everything_is_not_after_eight_steps() -> None:
    best, worst = after(*[1.0] * 20), after(*[0.0] * 20)
    assert (best.answer, best.answered_after) == (ComparisonAnswer.BETTER, 8)
    assert (worst.answer, worst.answered_after) == (ComparisonAnswer.NOT_BETTER, 8)


def test_a_gain_that_is_asked_for_is_found_and_its_half_ends_either_way() -> None:
    settings = CompareSettings(upper=0.1)
    assert after(*[0.75, 0.5] * 40, settings=settings).answer is ComparisonAnswer.BETTER
    assert after(*[0.25, 0.5] * 40, settings=settings).answer is ComparisonAnswer.NOT_BETTER


def test_the_answer_stays_and_the_figures_go_on() -> None:
    comparison = after(*[1.0] * 20)
    decided = comparison.answered_after
    for _ in range(200):
        comparison = comparison.after(STEPS[0.0])
    assert (comparison.answer, comparison.answered_after) == (ComparisonAnswer.BETTER, decided)
    assert comparison.steps == 220
    assert comparison.gain < 0
    assert comparison.log_ratio < 0


def test_at_its_limit_it_says_undecided() -> None:
    comparison = after(*[0.75, 0.25] * 15, settings=CompareSettings(max_steps=30))
    assert (comparison.answer, comparison.answered_after) == (ComparisonAnswer.UNDECIDED, 30)


def test_identical_games_are_counted_and_end_in_not_better() -> None:
    comparison = after(*[0.5] * 400, settings=CompareSettings(upper=0.01))
    assert comparison.identical == 400
    assert comparison.identical_games == comparison.games == 800
    assert comparison.answer is ComparisonAnswer.NOT_BETTER
    # An exact test of "steps that are won are rarer than 2 %" at 5 % needs log(0.05) / log(0.98) = 149 equal ones.
    assert 149 <= (comparison.answered_after or 0) <= 220


def test_one_game_that_differs_makes_a_step_that_is_not_identical() -> None:
    comparison = after(1.0)
    assert (comparison.identical, comparison.identical_games, comparison.games) == (0, 0, 2)


def test_what_speaks_for_either_answer_is_told_with_its_sign() -> None:
    settings = CompareSettings(upper=0.2)
    assert after(*[1.0] * 3, settings=settings).log_ratio > 0.5
    assert after(*[0.0] * 3, settings=settings).log_ratio < -0.5


@pytest.mark.parametrize(
    ("asked", "steps"),
    [((0.0, 0.03, 0.05, 0.05), 10_000), ((-0.03, 0.0, 0.05, 0.05), 10_000), ((0.0, 0.3, 0.05, 0.05), 100)],
)
def test_the_usual_limit_is_what_the_question_needs(asked: tuple[float, float, float, float], steps: int) -> None:
    assert usual_steps(*asked) == pytest.approx(steps, abs=1)
    low, high, alpha, beta = asked
    assert usual_steps(low, high, alpha**2, beta) == pytest.approx(4 * steps, abs=4)
    assert usual_steps(low, high, alpha, beta**2) == usual_steps(low, high, alpha**2, beta)


class Repeated(Scores):
    """Scores that are written down."""

    def __init__(self, weights: Sequence[float], tests: int) -> None:
        super().__init__(GRID, weights, tests, 4)
        self.seen: list[list[int]] = [[] for _ in range(tests)]

    def draw_places(self, which: Ints) -> Ints:
        found = super().draw_places(which)
        for test, place in zip(which.tolist(), found.tolist(), strict=True):
            self.seen[test].append(place)
        return found


@pytest.mark.parametrize("gain", [0.0, 0.1, 0.4])
def test_the_simulation_of_many_tests_ends_as_the_test_does(gain: float) -> None:
    settings = CompareSettings(upper=0.1, max_steps=300)
    scores = Repeated(tilted((1, 0, 2, 0, 1), 0.5 + gain), 30)
    answers, steps = bets(settings, scores)
    ends = [after(*(GRID[place] for place in seen), settings=settings) for seen in scores.seen]
    told = {ComparisonAnswer.BETTER: 1, ComparisonAnswer.NOT_BETTER: -1, ComparisonAnswer.UNDECIDED: 0}
    assert [told[end.answer] for end in ends if end.answer is not None] == answers.tolist()
    assert [end.answered_after for end in ends] == steps.tolist()


def test_the_simulation_of_many_pentanomial_tests_ends_as_one_does() -> None:
    settings = CompareSettings(upper=0.1, max_steps=300)
    scores = Repeated(tilted((1, 0, 2, 0, 1), 0.55), 10)
    _, steps = pentanomials(settings, scores)
    for seen, ended in zip(scores.seen, steps.tolist(), strict=True):
        counts = dict.fromkeys(GRID, UNSEEN)
        over = []
        for number, place in enumerate(seen, start=1):
            counts[GRID[place]] += 1
            if number % LOOK_EVERY == 0:
                over.append(abs(log_ratio(counts, 0.5, 0.6)) >= BOUND)
        assert over[:-1] == [False] * (len(over) - 1)
        assert over[-1] or ended == 300


@pytest.mark.parametrize("kind", KINDS[6:10], ids=lambda kind: kind.name)
def test_it_errs_no_more_often_than_it_says(kind: Kind) -> None:
    # A small share of `python -m benchmarks.simulated_fields compare`; the seeds are fixed, so the rates are too.
    equal = rates(kind, 0.0, 200)
    assert equal.better <= allowed(0.05, 200)
    assert equal.undecided == 0.0
    assert rates(kind, kind.gain, 200).not_better <= allowed(0.05, 200)


@pytest.mark.parametrize(
    "wrong", [{"upper": 0.0}, {"lower": -0.5}, {"upper": 0.5}, {"alpha": 0.0}, {"beta": 0.6}, {"max_steps": 0}]
)
def test_settings_that_make_no_test_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ResultsError):
        CompareSettings(**wrong)  # type: ignore[arg-type]
