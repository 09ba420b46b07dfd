"""Whose matches the host loses: named when nearly all are one bot's and chance does not explain it."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.statistics.host_losses import LEAST_MATCHES, MOST_CHANCE, NEARLY_ALL, chance_of, suspect

SIX = dict.fromkeys("abcdef", 10)
"""Six bots, thirty matches of two."""


@pytest.mark.parametrize(
    ("lost", "named"),
    [
        ([], None),
        (["ab", "ac", "ad", "ae", "af"], None),  # 6 in 1,000 for one bot, and there are six
        (["ab", "ac", "ad", "ae", "af", "ab"], "a"),
        (["ab"] * 3 + ["cd"] * 3, None),
        (["ab", "ac", "ad", "ae", "af", "ab", "ac", "ad", "bc"], None),  # not nearly all
        (["ab", "ac", "ad", "ae", "af", "ab", "ac", "ad", "ae", "bc"], "a"),
    ],
)
def test_the_bot_that_sat_in_nearly_all_lost_matches_is_named(lost: list[str], named: str | None) -> None:
    assert suspect(lost, SIX, 30) == named


def test_who_sat_in_every_match_is_never_named() -> None:
    assert suspect(["ab"] * 20, {"a": 40, "b": 20, "c": 20}, 40) == "b"
    assert suspect(["ab", "ac"] * 10, {"a": 40, "b": 20, "c": 20}, 40) is None


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, n))), st.data())
def test_the_chance_is_that_of_drawing_blindly(case: tuple[int, int, int], data: st.DataObject) -> None:
    tried, lost, sat = case
    least = data.draw(st.integers(0, lost))
    ways = sum(comb(sat, met) * comb(tried - sat, lost - met) for met in range(least, lost + 1))
    assert chance_of(least, lost, sat, tried) == pytest.approx(float(Fraction(ways, comb(tried, lost))))


@settings(max_examples=40)
@given(st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=2, max_size=3), max_size=40), st.integers(0, 60))
def test_nobody_is_named_without_the_figures_for_it(lost: list[set[str]], others: int) -> None:
    tried = len(lost) + others
    sat = {name: min(tried, sum(name in match for match in lost) + others // 3) for name in "abcdefgh"}
    found = suspect(lost, sat, tried)
    if found is not None:
        count = sum(found in match for match in lost)
        assert count >= max(LEAST_MATCHES, NEARLY_ALL * len(lost))
        assert chance_of(count, len(lost), sat[found], tried) * len(sat) < MOST_CHANCE
        assert sat[found] < tried
