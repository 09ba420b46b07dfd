"""The comparison of two versions: what it answers, what it counts, and that it errs no more often than it says."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest

from ratings.statistics.compare.comparison import Answer, CompareSettings, Comparison
from ratings.statistics.compare.games import Game, PairedBlock
from ratings.statistics.compare.ratio import log_ratio, wald_bounds
from ratings.statistics.errors import ResultsError
from tests.support.simulations.compare import BLOCKS, GRID, KINDS, Kind, allowed, rates


def after(*differences: float, settings: CompareSettings | None = None) -> Comparison:
    comparison = Comparison(settings or CompareSettings())
    for difference in differences:
        comparison = comparison.after(BLOCKS[difference])
    return comparison


def test_the_score_is_the_normalised_rank() -> None:
    assert Game(0, (1, 2, 3), "x").score == 1
    assert Game(1, (1, 2, 3), "x").score == Fraction(1, 2)
    assert Game(2, (1, 2, 2), "x").score == Fraction(1, 4)
    assert Game(0, (1, 1), "x").score == Fraction(1, 2)


@pytest.mark.parametrize("difference", GRID)
def test_the_difference_of_a_pair_is_the_mean_over_its_games(difference: float) -> None:
    assert BLOCKS[difference].difference == difference


def test_nothing_is_known_before_the_first_pair() -> None:
    fresh = Comparison()
    assert (fresh.answer, fresh.log_ratio, fresh.pairs, fresh.mean, fresh.error) == (None, 0.0, 0, 0.0, 0.0)
    assert fresh.bounds == wald_bounds(0.05, 0.05) == pytest.approx((-log(19), log(19)))


def test_figures_are_those_of_the_pairs() -> None:
    comparison = after(0.5, 0.5, -0.25, 0.25)
    assert comparison.pairs == 4
    assert comparison.mean == 0.25
    assert comparison.error == pytest.approx(0.17678, abs=1e-5)  # sqrt(0.375 / 3 / 4)


def test_two_pairs_have_an_error_and_one_has_none() -> None:
    assert after(0.5).error == 0.0
    assert after(0.5, 0.25).error == pytest.approx(0.125)  # sqrt(2 * 0.125**2 / 1 / 2)


def test_one_pair_may_be_all_that_is_played() -> None:
    one = CompareSettings(min_pairs=1, max_pairs=1)
    assert after(0.0, settings=one).answer is Answer.UNDECIDED


def test_a_new_version_that_wins_is_better_and_one_that_loses_is_not() -> None:
    settings = CompareSettings(upper=0.1)
    assert after(*[0.5, 0.25] * 30, settings=settings).answer is Answer.BETTER
    assert after(*[-0.5, 0.25] * 60, settings=settings).answer is Answer.NOT_BETTER


def test_the_answer_stays_and_the_figures_go_on() -> None:
    settings = CompareSettings(upper=0.1)
    comparison = after(*[0.5, 0.25] * 30, settings=settings)
    decided = comparison.answered_after
    later = comparison
    for _ in range(200):
        later = later.after(BLOCKS[-1.0])
    assert decided is not None
    assert decided < 60
    assert (later.answer, later.answered_after) == (Answer.BETTER, decided)
    assert later.pairs == 260
    assert later.mean < 0


def test_no_answer_before_the_least_number_of_pairs() -> None:
    settings = CompareSettings(upper=0.3, min_pairs=20)
    assert after(*[1.0] * 19, settings=settings).answer is None
    assert after(*[1.0] * 20, settings=settings).answer is Answer.BETTER


def test_at_its_limit_it_says_undecided() -> None:
    settings = CompareSettings(max_pairs=30)
    comparison = after(*[0.5, -0.5] * 15, settings=settings)
    assert comparison.answer is Answer.UNDECIDED
    assert comparison.answered_after == 30


def test_identical_games_are_counted_and_end_in_not_better() -> None:
    settings = CompareSettings(upper=0.02)
    comparison = after(*[0.0] * 400, settings=settings)
    assert comparison.identical == 400
    assert comparison.identical_games == comparison.games == 800
    assert comparison.answer is Answer.NOT_BETTER
    # An exact test of "differences are rarer than 2 %" at 5 % needs log(0.05) / log(0.98) = 149 equal pairs.
    assert 149 <= (comparison.answered_after or 0) <= 220


def test_one_game_that_differs_makes_a_pair_that_is_not_identical() -> None:
    new = (Game(0, (1, 2), "a"), Game(1, (1, 2), "b"))
    old = (Game(0, (1, 2), "a"), Game(1, (1, 2), "c"))
    comparison = Comparison().after(PairedBlock(new, old))
    assert (comparison.identical, comparison.identical_games, comparison.games) == (0, 1, 2)


def test_the_order_of_the_values_does_not_change_the_ratio() -> None:
    counts = {0.5: 3, -0.25: 2, 0.0: 7}
    assert log_ratio(counts, 0.0, 0.05) == log_ratio(dict(reversed(counts.items())), 0.0, 0.05)


def test_the_ratio_is_near_the_normal_approximation_for_many_pairs() -> None:
    counts = {-0.5: 2400, 0.0: 5000, 0.5: 2600}
    mean, variance = 0.01, 0.25 * 0.5 - 0.0001
    expected = 10_000 * 0.03 * (2 * mean - 0.03) / (2 * variance)
    assert log_ratio(counts, 0.0, 0.03) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("kind", KINDS[-4:], ids=lambda kind: kind.name)
def test_it_errs_no_more_often_than_it_says(kind: Kind) -> None:
    # A small share of `python -m benchmarks.compare`; the seeds are fixed, so the rates are too.
    for is_better in (False, True):
        assert rates(kind, 40, is_better=is_better).wrong <= allowed(0.05, 40)


def test_pairs_that_do_not_fit_are_refused() -> None:
    one, other = Game(0, (1, 2), "x"), Game(1, (1, 2), "x")
    with pytest.raises(ResultsError, match="same seats"):
        PairedBlock((one,), (other,))
    with pytest.raises(ResultsError, match="same seats"):
        PairedBlock((), ())
    with pytest.raises(ResultsError, match="seat 2"):
        PairedBlock((Game(2, (1, 2), "x"),), (Game(2, (1, 2), "x"),))


@pytest.mark.parametrize(
    "wrong", [{"upper": 0.0}, {"lower": -1.0}, {"alpha": 0.0}, {"beta": 0.6}, {"min_pairs": 0}, {"max_pairs": 5}]
)
def test_settings_that_make_no_test_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ResultsError):
        CompareSettings(**wrong)  # type: ignore[arg-type]
