"""Who sits beside whom in a block, and in which order the circular orders of the same entrants follow. Pure, no I/O.

In games about making kings the neighbour matters. So successive blocks of the same entrants run through all
(n - 1)! circular orders in a drawn order before one returns, and then through all anew, drawn anew.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from arena.tournament.formats.seeds import derive
from arena.tournament.formats.situation import CircularOrder, Situation
from engine.chance import SeededChance

Places = tuple[int, ...]


def circular_order(places: Places, number: int, seed: int) -> Places:
    """Return the order of the `number`-th block (from 0) of these ascending places; the first stays in front."""
    cycle, index = divmod(number, math.factorial(len(places) - 1))
    first, *others = places
    return (first, *(others[other] for other in _orders(places, cycle, seed)[index]))


@lru_cache(maxsize=4096)
def _orders(places: Places, cycle: int, seed: int) -> tuple[Places, ...]:
    """Return all arrangements of the places behind the first one, by index, shuffled."""
    orders = list(itertools.permutations(range(len(places) - 1)))
    SeededChance(derive(seed.to_bytes(8, "big"), "orders", cycle, *places)).shuffle(orders)
    return tuple(orders)


def seat_groups(situation: Situation, groups: Iterable[Sequence[str]]) -> list[CircularOrder]:
    """Return each group in the circular order whose turn it is after the blocks planned so far."""
    place = {entrant.id: number for number, entrant in enumerate(situation.entrants)}
    played = Counter(frozenset(block.order) for block in situation.blocks)
    orders = []
    for group in groups:
        key = frozenset(group)
        number = situation.past.gathered(key) + played[key]
        around = circular_order(tuple(sorted(place[entrant] for entrant in group)), number, situation.seed)
        played[key] += 1
        orders.append(tuple(situation.entrants[number].id for number in around))
    return orders


def draw(situation: Situation, *labels: str | int) -> dict[str, int]:
    """Return a random number for each entrant, to break ties with; other labels give other numbers."""
    secret = situation.seed.to_bytes(8, "big")
    return {entrant.id: derive(secret, "draw", *labels, place) for place, entrant in enumerate(situation.entrants)}
