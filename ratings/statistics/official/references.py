"""Finds the versions about whose mean a table is told: those of which it is known how far they are apart. No I/O."""

from __future__ import annotations

import numpy as np

from ratings.statistics.official.aggregate import Counts, both_won_and_lost
from ratings.statistics.official.results import Bools, Floats, Ints, distinct


def references_of(counts: Counts, groups: Ints, is_anchor: Bools, point: Floats) -> list[tuple[Ints, Ints]]:
    """Return, for each group without an anchor, its places and those about whose mean it is told.

    These are the most versions that are held together by results both ways, of equally many the stronger ones by
    `point`: how far others are away nobody knows, and a mean with them in would be as unsure. Without any they are
    those that were ahead of somebody and behind somebody, or all.
    """
    together = held_together(counts.seats, counts.ranks, len(groups))
    known = both_won_and_lost(counts)
    every = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    return [(mine, _reference(mine, together, known, point)) for mine in every if not is_anchor[mine].any()]


def _reference(mine: Ints, together: Ints, known: Bools, point: Floats) -> Ints:
    sets = [mine[together[mine] == label] for label in distinct(together[mine])]
    best: Ints = max(sets, key=lambda places: (len(places), float(point[places].mean())))
    if len(best) > 1:
        return best
    among: Ints = mine[known[mine]]
    return among if len(among) else mine


def held_together(seats: Ints, ranks: Ints, versions: int) -> Ints:
    """Return the set of each version: in one set each was ahead of each other, directly or by way of others.

    Only within such a set is it known how far versions are apart (L. R. Ford, "Solution of a ranking problem from
    binary comparisons", 1957): who never was ahead of any of another set may be any distance below. The numbers of the
    sets say nothing.
    """
    ahead = np.zeros((versions, versions), np.bool_)
    for one in range(seats.shape[1]):
        for other in range(seats.shape[1]):
            won = ranks[:, one] < ranks[:, other]
            ahead[seats[won, one], seats[won, other]] = True
    label = np.full(versions, -1)
    while (label < 0).any():
        start, is_left = int(np.argmin(label)), label < 0
        label[_reached(ahead, start, is_left) & _reached(ahead.T, start, is_left)] = start
    return label


def _reached(links: Bools, start: int, among: Bools) -> Bools:
    """Return which can be reached from a start by links among some."""
    reached = np.zeros(len(links), np.bool_)
    new = np.array([start])
    while len(new):
        reached[new] = True
        new = np.flatnonzero(links[new].any(axis=0) & among & ~reached)
    return reached
