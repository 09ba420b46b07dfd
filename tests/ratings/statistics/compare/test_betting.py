"""The capital of a gambler: fair where the mean gives no advantage, and soon large elsewhere."""

from __future__ import annotations

from math import exp, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.statistics.compare.betting import SHARE_ON_BIG, Capital

GOAL = log(20)
FRESH = Capital.begin(0.5, 0.53, GOAL)
values = st.lists(st.floats(0, 1), max_size=60)


def after(capital: Capital, *seen: float) -> Capital:
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
    capital = after(Capital.begin(null, (null + 1) / 2, GOAL), *seen)
    below, above = null * low, null + (1 - null) * 0.7
    chance = (null - below) / (above - below)  # of the higher of two values, so that their mean is the null
    expected = chance * exp(capital.after(above).logarithm) + (1 - chance) * exp(capital.after(below).logarithm)
    assert expected == pytest.approx(exp(capital.logarithm), rel=1e-9)


@given(seen=values, null=st.floats(0.02, 0.98))
def test_no_value_ruins_it(seen: list[float], null: float) -> None:
    capital = after(Capital.begin(null, (null + 1) / 2, GOAL), *seen)
    assert log(0.04) < capital.after(0.0).logarithm - capital.logarithm < 0
    assert capital.after(1.0).logarithm > capital.logarithm


def test_who_wins_everything_is_known_after_a_few() -> None:
    assert after(FRESH, *[1.0] * 8).logarithm > log(20)


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
    ends = [after(FRESH, *map(float, draws[start : start + 1200])).logarithm for start in range(0, len(draws), 1200)]
    assert sorted(ends)[len(ends) // 2] > 3.0
