"""Points from ranks: 2 for every opponent beaten and 1 for every one tied with, in whole numbers. No I/O, no NumPy.

Whole numbers, so that equal scores are equal.
"""

from __future__ import annotations

from collections.abc import Sequence


def points_between(rank: int, other: int) -> int:
    """Return what a seat of `rank` (1 = best) gets from one opponent of rank `other`: 2, 1 or 0."""
    return 2 * (rank < other) + (rank == other)


def seat_points(ranks: Sequence[int], seat: int) -> int:
    """Return the points of one seat in a match; `ranks[seat]` is 1 for the best, and ties share a rank."""
    mine = ranks[seat]
    return sum(points_between(mine, other) for other in ranks) - points_between(mine, mine)  # not against itself


def match_points(ranks: Sequence[int]) -> list[int]:
    """Return the points of every seat in a match; index = seat."""
    return [seat_points(ranks, seat) for seat in range(len(ranks))]


def most_points(seats: int) -> int:
    """Return the points of a seat that beats all others."""
    return 2 * (seats - 1)
