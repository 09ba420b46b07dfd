"""Ranks from the end of a game and from forfeits. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def rank_seats(seats: int, game_ranks: Sequence[int] | None, forfeits: Mapping[int, int]) -> tuple[int, ...]:
    """The rank of each seat, 1 = best, ties share.

    `forfeits` holds the instant (a number that grows) at which a seat forfeited. Seats that did not come first, in
    the game's order among themselves (all equal where `game_ranks` is None); then the forfeited ones, the later the
    better, equal at the same instant.
    """
    keys = [
        (1, -forfeits[seat]) if seat in forfeits else (0, game_ranks[seat] if game_ranks is not None else 0)
        for seat in range(seats)
    ]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
