"""Finds which versions are compared at all: the parts of a field that never met. No I/O."""

from __future__ import annotations

import numpy as np

from ratings.statistics.official.results import Ints, distinct


def groups_of(seats: Ints, versions: int) -> Ints:
    """Return the group of each version, counted from 0: the largest first, equal ones by their first version."""
    label = np.arange(versions)
    links = distinct(np.sort(np.concatenate([seats[:, [0, other]] for other in range(1, seats.shape[1])]), 1), axis=0)
    while True:
        least = np.minimum(label[links[:, 0]], label[links[:, 1]])
        new = label.copy()
        np.minimum.at(new, links[:, 0], least)
        np.minimum.at(new, links[:, 1], least)
        new = new[new]
        if (new == label).all():
            break
        label = new
    names, where, sizes = np.unique(label, return_inverse=True, return_counts=True)
    place = np.empty(len(names), np.int64)
    place[np.lexsort((names, -sizes))] = np.arange(len(names))
    return place[where]
