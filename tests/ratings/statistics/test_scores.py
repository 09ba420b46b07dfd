"""Kinds of first, and the mean of scores with its interval."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ratings.statistics.errors import ResultsError
from ratings.statistics.scores import Firsts, match_firsts, mean_score

NONE, WIN, SHARED, DRAW = Firsts(), Firsts(1, 0, 0), Firsts(0, 1, 0), Firsts(0, 0, 1)


@pytest.mark.parametrize(
    ("ranks", "kinds"),
    [
        ((2, 1), [NONE, WIN]),
        ((1, 1), [DRAW, DRAW]),
        ((1, 1, 3), [SHARED, SHARED, NONE]),
        ((2, 2, 1), [NONE, NONE, WIN]),
        ((1, 1, 1, 1), [DRAW] * 4),
        ((1,), [WIN]),
    ],
)
def test_a_first_rank_is_a_win_alone_a_draw_of_all_or_shared_with_some(
    ranks: tuple[int, ...], kinds: list[Firsts]
) -> None:
    assert match_firsts(ranks) == kinds


@pytest.mark.parametrize(
    ("won", "matches", "low", "high"),
    # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3 (Wilson).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(won: int, matches: int, low: float, high: float) -> None:
    score = mean_score([1] * won + [0] * (matches - won))
    assert score.mean == pytest.approx(won / matches)
    assert (score.low, score.high) == pytest.approx((low, high), abs=5e-5)


def test_ranks_in_between_count_as_parts_of_a_match() -> None:
    assert mean_score([Fraction(1, 2)] * 4) == mean_score([0, 1, 0, 1])


@pytest.mark.parametrize("scores", [[], [1.5], [0, -1]])
def test_what_is_no_score_is_refused(scores: list[float]) -> None:
    with pytest.raises(ResultsError):
        mean_score(scores)
