"""What a step tells: points between NEW and OLD, or the difference of their ranks where they do not meet."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ratings.statistics.compare.steps import ComparedMatch, ComparisonStep
from ratings.statistics.errors import ResultsError

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
