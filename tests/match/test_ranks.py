"""Ranks from the end of a game and from forfeits."""

from hypothesis import given
from hypothesis import strategies as st

from arena.match.ranks import rank_seats


def test_without_forfeits_the_games_ranks_stand() -> None:
    assert rank_seats(3, (2, 1, 2), {}) == (2, 1, 2)


def test_forfeited_seats_come_last_the_earlier_the_lower_equal_at_the_same_instant() -> None:
    assert rank_seats(5, (1, 2, 3, 4, 5), {0: 4, 1: 9, 2: 4}) == (4, 3, 4, 1, 2)


def test_without_an_outcome_the_seats_left_are_equal() -> None:
    assert rank_seats(3, None, {1: 0}) == (1, 3, 1)


@st.composite
def endings(draw: st.DrawFn) -> tuple[int, list[int], dict[int, int]]:
    seats = draw(st.integers(1, 6))
    scores = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    return seats, ranks, draw(st.dictionaries(st.integers(0, seats - 1), st.integers(-1, 3)))


@given(endings())
def test_a_rank_is_one_more_than_the_number_of_better_seats(ending: tuple[int, list[int], dict[int, int]]) -> None:
    seats, game_ranks, forfeits = ending
    ranks = rank_seats(seats, game_ranks, forfeits)
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
    assert all(ranks[stays] < ranks[left] for left in forfeits for stays in range(seats) if stays not in forfeits)
