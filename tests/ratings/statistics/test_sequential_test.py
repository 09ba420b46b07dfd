"""The comparison of two versions: what it answers, what it counts, and that it errs no more often than it says."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.statistics.errors import ResultsError
from ratings.statistics.results import Ints
from ratings.statistics.sequential_test import (
    SHARE_ON_BIG,
    Capital,
    ComparedMatch,
    CompareSettings,
    Comparison,
    ComparisonAnswer,
    ComparisonStep,
    usual_steps,
)
from tests.support.simulations.compare import (
    BOUND,
    GRID,
    KINDS,
    LOOK_EVERY,
    STEPS,
    UNSEEN,
    Copies,
    Kind,
    Scores,
    allowed,
    bets,
    log_ratio,
    pentanomial_steps,
    pentanomials,
    rates,
    rates_of_copies,
    tilted,
)

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


@pytest.mark.parametrize("kind", KINDS[5:10], ids=lambda kind: kind.name)
def test_it_errs_no_more_often_than_it_says(kind: Kind) -> None:
    # A small share of `python -m benchmarks.simulated_fields compare`; the seeds are fixed, so the rates are too.
    equal = rates(kind, 0.0, 200)
    assert equal.better <= allowed(0.05, 200)
    assert equal.undecided == 0.0
    assert rates(kind, kind.gain, 200).not_better <= allowed(0.05, 200)


@pytest.mark.parametrize("part", [0.25, 1 / 3, 0.5, 2 / 3])
def test_it_ends_where_nine_of_ten_steps_are_equal_and_the_truth_lies_between_the_gains(part: float) -> None:
    kind = next(kind for kind in KINDS if kind.name == "nine of ten equal, a third")
    found = rates(kind, part * kind.gain, 200)
    assert found.undecided == 0.0
    assert found.steps < 1.3 * pentanomial_steps(kind, part * kind.gain, 200)


@pytest.mark.parametrize("seats", [3, 4])
def test_copies_that_help_each_other_are_better_alone_and_not_beside_a_field(seats: int) -> None:
    alone, beside = (rates_of_copies(Copies("", seats, guests), 40) for guests in (0, seats - 2))
    assert alone.better > 0.9
    assert beside.better <= allowed(0.05, 40)


@pytest.mark.parametrize(
    "wrong", [{"upper": 0.0}, {"lower": -0.5}, {"upper": 0.5}, {"alpha": 0.0}, {"beta": 0.6}, {"max_steps": 0}]
)
def test_settings_that_make_no_test_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ResultsError):
        CompareSettings(**wrong)  # type: ignore[arg-type]


NOBODY: frozenset[int] = frozenset()


def seats(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def game(new: frozenset[int], old: frozenset[int], *ranks: int, digest: str = "x") -> ComparedMatch:
    return ComparedMatch(new, old, ranks, digest)


def test_the_points_between_new_and_old_are_those_of_every_pair_of_their_seats() -> None:
    assert game(seats(0), seats(1), 1, 2, 3).points == 2
    assert game(seats(1), seats(0), 1, 2, 3).points == 0
    assert game(seats(0), seats(1), 1, 1, 3).points == 1
    assert game(seats(0, 2), seats(1, 3), 1, 2, 3, 4).points == 6  # of 8: seat 2 is behind seat 1


def test_the_score_is_the_share_of_these_points_in_all_matches_of_the_step() -> None:
    won, lost = game(seats(0), seats(1), 1, 2, 3), game(seats(1), seats(0), 1, 2, 3)
    tied = game(seats(1), seats(0), 1, 1, 3)
    assert ComparisonStep(((won, lost),)).score == Fraction(1, 2)
    assert ComparisonStep(((won, tied),)).score == Fraction(3, 4)


def test_where_they_do_not_meet_it_is_one_half_and_half_the_difference_of_their_ranks() -> None:
    best, last = game(seats(0), NOBODY, 1, 2, 3), game(NOBODY, seats(0), 3, 1, 2)
    middle = game(NOBODY, seats(0), 2, 1, 3)
    assert ComparisonStep(((best, last),)).score == 1
    assert ComparisonStep(((best, middle),)).score == Fraction(3, 4)
    assert ComparisonStep(
        ((best, middle), (game(seats(1), NOBODY, 1, 3, 2), game(NOBODY, seats(1), 2, 1, 3)))
    ).score == Fraction(3, 8)


def test_matches_that_went_alike_with_changed_places_are_identical() -> None:
    one, other = game(seats(0), seats(1), 1, 2, digest="a"), game(seats(1), seats(0), 1, 2, digest="a")
    third = game(seats(1), seats(0), 1, 2, digest="b")
    assert ComparisonStep(((one, other),)).identical_games == 2
    assert ComparisonStep(((one, other), (one, third))).identical_games == 2


@pytest.mark.parametrize(
    ("new", "old"), [(NOBODY, NOBODY), (seats(0), seats(0)), (seats(2), NOBODY), (seats(0), seats(1, 2))]
)
def test_seats_that_are_not_there_or_taken_twice_are_refused(new: frozenset[int], old: frozenset[int]) -> None:
    with pytest.raises(ResultsError, match="do not fit 2 seats"):
        game(new, old, 1, 2)


def test_matches_without_changed_places_are_refused() -> None:
    one = game(seats(0), seats(1), 1, 2)
    with pytest.raises(ResultsError, match="changed places"):
        ComparisonStep(((one, one),))
    with pytest.raises(ResultsError, match="changed places"):
        ComparisonStep(())
    apart = game(seats(0), NOBODY, 1, 2), game(NOBODY, seats(0), 1, 2)
    with pytest.raises(ResultsError, match="in some matches"):
        ComparisonStep(((one, game(seats(1), seats(0), 1, 2)), apart))


GOAL = log(20)
FRESH = Capital.begin(0.5, 0.53, GOAL)
values = st.lists(st.floats(0, 1), max_size=60)


def capital_after(capital: Capital, *seen: float) -> Capital:
    for value in seen:
        capital = capital.after(value)
    return capital


@pytest.mark.parametrize("asked", [0.5001, 0.507, 0.53, 0.9])
def test_it_begins_with_one(asked: float) -> None:
    assert Capital.begin(0.5, asked, GOAL).logarithm == pytest.approx(0.0)


def test_a_fine_question_stakes_less_on_a_big_gain() -> None:
    fine, usual, coarse = (exp(Capital.begin(0.5, 0.5 + gain, GOAL).bold) for gain in (0.0072, 0.03, 0.2))
    assert fine == pytest.approx(SHARE_ON_BIG / 2, rel=0.01)  # 5 Elo against 10
    assert usual == coarse == pytest.approx(SHARE_ON_BIG)


@given(seen=values, low=st.floats(0, 0.5), null=st.floats(0.02, 0.98))
def test_a_value_whose_mean_is_the_null_wins_nothing_on_average(seen: list[float], low: float, null: float) -> None:
    capital = capital_after(Capital.begin(null, (null + 1) / 2, GOAL), *seen)
    below, above = null * low, null + (1 - null) * 0.7
    chance = (null - below) / (above - below)  # of the higher of two values, so that their mean is the null
    expected = chance * exp(capital.after(above).logarithm) + (1 - chance) * exp(capital.after(below).logarithm)
    assert expected == pytest.approx(exp(capital.logarithm), rel=1e-9)


@given(seen=values, null=st.floats(0.02, 0.98))
def test_no_value_ruins_it(seen: list[float], null: float) -> None:
    capital = capital_after(Capital.begin(null, (null + 1) / 2, GOAL), *seen)
    assert log(0.04) < capital.after(0.0).logarithm - capital.logarithm < 0
    assert capital.after(1.0).logarithm > capital.logarithm


def test_who_wins_everything_is_known_after_a_few() -> None:
    assert capital_after(FRESH, *[1.0] * 8).logarithm > log(20)


def test_the_last_bet_is_no_larger_than_the_goal_needs() -> None:
    for goal in (log(5) + 0.1 * number for number in range(50)):
        capital = Capital.begin(0.5, 0.53, goal)
        while capital.logarithm < goal:
            capital = capital.after(1.0)
        assert capital.logarithm - goal < log(1.475), "half a stake wins 0.475, a whole one 0.95"
        assert capital.after(0.0).logarithm < goal < capital.after(1.0).logarithm, "figures go on after the end"


def test_the_goal_is_reached_and_not_only_neared_where_all_values_are_a_little_above_the_null() -> None:
    capital = Capital.begin(0.49, 0.5, GOAL)
    for _ in range(250):
        capital = capital.after(0.5)
    assert capital.logarithm >= GOAL


def test_small_gains_are_found_as_soon_as_a_likelihood_ratio_finds_them() -> None:
    # 1,200 values with a standard deviation of a half and a gain of 0.04: the ratio of the two means is about
    # n * (gain * asked - asked^2 / 2) / variance = 1200 * (0.04 * 0.03 - 0.00045) / 0.25 = 3.6.
    random = Random(5)
    draws = [random.random() < 0.54 for _ in range(60 * 1200)]
    ends = [
        capital_after(FRESH, *map(float, draws[start : start + 1200])).logarithm for start in range(0, len(draws), 1200)
    ]
    assert sorted(ends)[len(ends) // 2] > 3.0
