"""The tables of a comparison: its steps, each fair to NEW and OLD whatever seats and neighbours do.

NEW and OLD share tables, because a match in which both sit tells of both, and one in which either is missing tells less
(three seats and more; at two seats they meet each other unless a field is named). A step is a block and, where turning
it does not make NEW and OLD change places, the same block with changed places. Pure.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

from arena.tournament.formats.circular_orders import Places, circular_order
from arena.tournament.formats.seeds import derive
from arena.tournament.formats.situation import CircularOrder
from engine.chance import SeededChance


def shares_tables(seats: int, *, has_field: bool) -> bool:
    """Return whether NEW and OLD sit at the same tables; otherwise each meets the field in turn."""
    return seats > 2 or not has_field


def step_orders(new: str, old: str, field: Sequence[str], seats: int, number: int, seed: int) -> list[CircularOrder]:
    """Return the circular orders of the blocks of step `number`, from 0; one or two.

    Without a field NEW and OLD fill the table, in every arrangement in turn. With one, groups of it take turns, each
    turn in another drawn order, and with each turn they sit in another circular order.
    """
    if not field:
        arrangements = _drawn(_arrangements(seats), number, seed, "arrangements")
        order = tuple(old if is_old else new for is_old in arrangements)
        return _both(order, new, old)
    guests = seats - 2 if shares_tables(seats, has_field=True) else seats - 1
    groups = tuple(itertools.combinations(range(len(field)), guests))
    turn = number // len(groups)
    group = [field[place] for place in _drawn(groups, number, seed, "groups")]
    if guests == seats - 1:
        around = circular_order(tuple(range(seats)), turn, seed)
        others = tuple(group[place - 1] for place in around[1:])
        return [(new, *others), (old, *others)]
    seated = [new, old, *group]
    return _both(tuple(seated[place] for place in circular_order(tuple(range(seats)), turn, seed)), new, old)


def changed_places(order: CircularOrder, new: str, old: str) -> CircularOrder:
    """Return the order with OLD where NEW sits and NEW where OLD sits."""
    return tuple({new: old, old: new}.get(entrant, entrant) for entrant in order)


def turn_to_change(order: CircularOrder, new: str, old: str) -> int | None:
    """Return by how many rotations a block has NEW and OLD in changed places, or `None` if no rotation does it."""
    changed = changed_places(order, new, old)
    return next((turn for turn in range(len(order)) if order[turn:] + order[:turn] == changed), None)


def is_whole_in_one(seats: int) -> bool:
    """Return whether a table of NEW and OLD alone always has them change places when it is turned."""
    return all(turn_to_change(tuple("NO"[one] for one in order), "N", "O") for order in _arrangements(seats))


def _both(order: CircularOrder, new: str, old: str) -> list[CircularOrder]:
    """Return the block, and the one with changed places unless it holds it already."""
    return [order] if turn_to_change(order, new, old) is not None else [order, changed_places(order, new, old)]


@lru_cache
def _arrangements(seats: int) -> tuple[Places, ...]:
    """Return the ways to fill a table with NEW (0) and OLD (1), as evenly as possible; turns count as one."""
    olds = seats // 2
    found: dict[Places, None] = {}
    for places in itertools.combinations(range(seats), olds):
        order = tuple(int(place in places) for place in range(seats))
        found.setdefault(min(order[turn:] + order[:turn] for turn in range(seats)))
    return tuple(found)


def _drawn(choices: tuple[Places, ...], number: int, seed: int, label: str) -> Places:
    """Return the `number`-th choice: all take turns, each turn in an order of its own that is drawn."""
    turn, index = divmod(number, len(choices))
    order = list(range(len(choices)))
    SeededChance(derive(seed.to_bytes(8, "big"), label, turn)).shuffle(order)
    return choices[order[index]]
