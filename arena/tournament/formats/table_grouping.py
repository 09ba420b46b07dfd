"""Who sits beside whom in a block, and how bots of one owner are kept apart in rated matches. Pure, no I/O."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from arena.tournament.formats.format import CircularOrder, Entrant, ScheduleError, Situation
from arena.tournament.formats.random_seeds import derive
from engine.chance import SeededChance
from engine.translatable import Text

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


Owners = Mapping[str, str]
"""Whose each entrant is; one without an owner is its own."""
NEVER = 1 << 20
"""More meetings than there are: what counts for a pair that may not meet."""


def owners_of(entrants: Iterable[Entrant]) -> Owners:
    """Return whose each entrant is."""
    return {entrant.id: entrant.id if entrant.owner is None else entrant.owner for entrant in entrants}


def are_apart(group: Iterable[str], owners: Owners) -> bool:
    """Return whether no two different entrants of a group are of one owner."""
    different = set(group)
    return len({owners[entrant] for entrant in different}) == len(different)


def keeping_apart(meetings: Callable[[str, str], int], owners: Owners) -> Callable[[str, str], int]:
    """Return how often two have met, as if those who may not meet had met very often."""
    return lambda one, other: NEVER if owners[one] == owners[other] else meetings(one, other)


def check_apart(seats: int, entrants: Sequence[Entrant]) -> None:
    """Raise ScheduleError if the owners are too few to fill a table."""
    owners = len(set(owners_of(entrants).values()))
    if owners < seats:
        raise ScheduleError(
            Text(
                "bots of one owner do not meet in a rated tournament, and {owners} owners do not fill {seats} "
                "seats; name bots of more owners, or add --same-owner or --unrated",
                owners=owners,
                seats=seats,
            )
        )


def check_opponents(seats: int, challenger: Entrant, others: Sequence[Entrant], names: Mapping[str, str]) -> None:
    """Raise ScheduleError if one of the others may not meet the challenger, or they do not fill his tables."""
    for other in others:
        check_all_apart((challenger, other), names)
    check_apart(seats, (challenger, *others))


def check_all_apart(entrants: Sequence[Entrant], names: Mapping[str, str]) -> None:
    """Raise ScheduleError if two of the entrants, who are to meet, are of one owner."""
    seen: dict[str, str] = {}
    for entrant in entrants:
        other = None if entrant.owner is None else seen.setdefault(entrant.owner, entrant.id)
        if other not in (None, entrant.id):
            one, two = names[str(other)], names[entrant.id]
            raise ScheduleError(
                Text(
                    "{bot} and {other} have one owner, and bots of one owner do not meet in a rated tournament; "
                    "leave one out, or add --same-owner or --unrated",
                    bot=one,
                    other=two,
                )
            )


def count_tables(entrants: Sequence[str], size: int, owners: Owners) -> int:
    """Return how many tables of `size` the entrants can fill at once."""
    return most_tables(Counter(owners[entrant] for entrant in entrants).values(), size)


def most_tables(of_owners: Collection[int], size: int) -> int:
    """Return how many tables can be filled by owners with so many each."""
    most = sum(of_owners) // size
    return next((n for n in range(most, 0, -1) if sum(min(n, own) for own in of_owners) >= n * size), 0)


def sitting_out(resting_first: Sequence[str], size: int, tables: int, owners: Owners) -> frozenset[str]:
    """Return who must sit out so that the others fill that many tables, which `count_tables` allows.

    Of an owner with more entrants than tables those that come first, then whoever comes first.
    """
    counts = Counter(owners[entrant] for entrant in resting_first)
    out: list[str] = []
    for entrant in resting_first:
        if counts[owners[entrant]] > tables:
            counts[owners[entrant]] -= 1
            out.append(entrant)
    crowded = set(out)
    others = [entrant for entrant in resting_first if entrant not in crowded]
    return frozenset([*out, *others[: len(others) - tables * size]])


def crowded(entrants: Sequence[str], size: int, owners: Owners) -> frozenset[str]:
    """Return the entrants of those owners who have more of them than can sit at once."""
    counts, tables = Counter(owners[entrant] for entrant in entrants), count_tables(entrants, size, owners)
    return frozenset(entrant for entrant in entrants if counts[owners[entrant]] > max(tables, 1))


def free_for(table: Sequence[str], waiting: Sequence[str], size: int, owners: Owners) -> list[str]:
    """Return who of `waiting` may sit down next at a table that is being filled, so that the others can sit, too.

    Together they fill this table and whole ones after it; of none of the owners are more left than tables.
    """
    seated = {owners[entrant] for entrant in table}
    later = (len(table) + len(waiting)) // size - 1
    counts = Counter(owners[entrant] for entrant in waiting)
    pressing = {owner for owner, own in counts.items() if own > later and owner not in seated}
    allowed = pressing if len(pressing) >= size - len(table) else counts.keys() - seated
    return [entrant for entrant in waiting if owners[entrant] in allowed]


def spread(entrants: Sequence[str], tables: int, owners: Owners) -> list[list[str]]:
    """Deal the entrants out to that many tables, turn by turn, those of one owner apart if they would meet."""
    dealt = [list(entrants[number::tables]) for number in range(tables)]
    if all(are_apart(table, owners) for table in dealt):
        return dealt
    first = {owner: place for place, owner in reversed(list(enumerate(owners[entrant] for entrant in entrants)))}
    grouped = sorted(entrants, key=lambda entrant: first[owners[entrant]])
    order = {entrant: place for place, entrant in enumerate(entrants)}
    return [sorted(grouped[number::tables], key=order.__getitem__) for number in range(tables)]
