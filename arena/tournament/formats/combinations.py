"""Orders the combinations of a round robin so that a tournament is fair wherever it is stopped. Pure, no I/O.

The places of the entrants stand on a circle. Turning a combination around it gives its orbit; within one orbit every
place occurs equally often, and so does every pair of places at the same distance. So orbits are taken one after
another, each time one whose distances occurred least, and within an orbit the most overdue combination first.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

from engine.chance import Chance

Combination = tuple[int, ...]
T = TypeVar("T")

# Looking at all orbits would be quadratic in their number, and those in front are a random sample anyway.
_ORBITS_LOOKED_AT = 64


class CombinationOrder:
    """Deals all combinations of `size` out of `places`, cycle after cycle, and remembers what it dealt."""

    def __init__(self, places: int, size: int) -> None:
        self._places = places
        self._orbits = _orbits(places, size)
        self._dealt = [0] * places
        self._met: Counter[tuple[int, int]] = Counter()
        self._distances: Counter[int] = Counter()

    def deal(self, chance: Chance) -> Iterator[Combination]:
        """Yield every combination once, its places in ascending order; `chance` breaks ties."""
        orbits = list(self._orbits)
        chance.shuffle(orbits)
        while orbits:
            orbit = _take_least(orbits, self._distance_burden, _ORBITS_LOOKED_AT).copy()
            self._distances.update(self._distances_in(orbit[0]))
            chance.shuffle(orbit)
            while orbit:
                combination = _take_least(orbit, self._burden, len(orbit))
                self._note(combination)
                yield combination

    def _note(self, combination: Combination) -> None:
        for place in combination:
            self._dealt[place] += 1
        self._met.update(itertools.combinations(combination, 2))

    def _burden(self, combination: Combination) -> tuple[int, int, int]:
        """Return a sort key, least for the most overdue: deals of its busiest place, of all places, of all pairs."""
        dealt = [self._dealt[place] for place in combination]
        return max(dealt), sum(dealt), sum(self._met[pair] for pair in itertools.combinations(combination, 2))

    def _distance_burden(self, orbit: list[Combination]) -> tuple[int, int]:
        dealt = [self._distances[distance] for distance in self._distances_in(orbit[0])]
        return max(dealt, default=0), sum(dealt)

    def _distances_in(self, combination: Combination) -> list[int]:
        """Return each pair's shorter way around the circle, twice for opposite places, whose pairs are half as many."""
        ways = [second - first for first, second in itertools.combinations(combination, 2)]
        shorter = [min(way, self._places - way) for way in ways]
        return shorter + [way for way in shorter if way * 2 == self._places]


def _orbits(places: int, size: int) -> list[list[Combination]]:
    """Return all combinations, grouped by what turning the circle makes of one another."""
    seen: set[Combination] = set()
    orbits = []
    for combination in itertools.combinations(range(places), size):
        if combination not in seen:
            orbit = _orbit(combination, places)
            seen.update(orbit)
            orbits.append(orbit)
    return orbits


def _orbit(combination: Combination, places: int) -> list[Combination]:
    turned = (tuple(sorted((place + turn) % places for place in combination)) for turn in range(places))
    return list(dict.fromkeys(turned))


def _take_least(items: list[T], key: Callable[[T], tuple[int, ...]], looked_at: int) -> T:
    """Remove and return the first item whose key is least among the first `looked_at`."""
    least = min(range(min(looked_at, len(items))), key=lambda index: key(items[index]))
    return items.pop(least)
