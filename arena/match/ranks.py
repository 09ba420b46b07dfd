"""Ranks the seats of a match by the end of its game and by forfeits. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def rank_seats(seats: int, game_ranks: Sequence[int] | None, forfeits: Mapping[int, int]) -> tuple[int, ...]:
    """Return the rank of each seat, 1 = best, equal where seats tie.

    `forfeits` tells for each seat that forfeited at which instant it did; instants only grow. The seats that did not
    forfeit come first, in the game's order among themselves (all equal where `game_ranks` is None). The others follow:
    the later a seat forfeited the better its rank, and seats that forfeited at one instant are equal.
    """
    keys = [
        (1, -forfeits[seat]) if seat in forfeits else (0, game_ranks[seat] if game_ranks is not None else 0)
        for seat in range(seats)
    ]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
