"""Pairs near equals who have not met, for Swiss rounds and brackets, by perfect matchings. Pure, no I/O."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from arena.tournament.formats.table_grouping import Owners, free_for, keeping_apart, sitting_out

Meetings = Callable[[str, str], int]
"""How many blocks two entrants have had together."""
_NOBODY = -1


def seat_tables(ranked: Sequence[str], size: int, meetings: Meetings, owners: Owners) -> list[tuple[str, ...]]:
    """Seat all of `ranked` (best first) at tables of `size`, which divides their number: near ranks, few rematches.

    Two of one owner never sit together; of none are there more than tables.
    """
    meetings = keeping_apart(meetings, owners)
    if size == 2:
        return list(pair(ranked, meetings))
    # From the top: the best who is left, then those of the next ranks whom the table has met least.
    waiting = list(ranked)
    tables = []
    while waiting:
        table = [waiting.pop(0)]
        while len(table) < size:
            free = free_for(table, waiting, size, owners)
            near = min(free, key=lambda entrant: sum(meetings(entrant, seated) for seated in table))
            waiting.remove(near)
            table.append(near)
        tables.append(table)
    while swap := _useful_swap(tables, meetings):
        (one, seat), (other, place) = swap
        tables[one][seat], tables[other][place] = tables[other][place], tables[one][seat]
    return [tuple(table) for table in tables]


def pair(ranked: Sequence[str], meetings: Meetings, *, best_with_last: bool = False) -> list[tuple[str, str]]:
    """Pair an even number of entrants, best first; nobody meets again unless there is no other way.

    From the top, each gets the first partner, from its own end of the list or from the other, with whom the rest still
    comes out: pairs that have met are taken only if there is no pairing without, then pairs that met least.
    """
    times = [[meetings(one, other) if one != other else 0 for other in ranked] for one in ranked]
    matching, most = _feasible(times)
    waiting = list(range(len(ranked)))
    pairs = []
    while waiting:
        top = waiting.pop(0)
        others = sorted(reversed(waiting) if best_with_last else waiting, key=lambda other: times[top][other])
        partner = next(other for other in others if times[top][other] <= most and matching.take_out(top, other))
        waiting.remove(partner)
        pairs.append((ranked[top], ranked[partner]))
    return pairs


def _feasible(times: Sequence[Sequence[int]]) -> tuple[Matching, int]:
    """Return a perfect matching of pairs that met at most `n` times, and `n`, the least for which there is one."""
    for most in sorted({number for row in times for number in row} | {0}):
        neighbours = [
            [other for other, number in enumerate(row) if number <= most and other != own]
            for own, row in enumerate(times)
        ]
        matching = Matching(neighbours)
        if matching.is_perfect:
            return matching, most
    raise AssertionError("all pairs allowed, and an even number of entrants: there is a matching")


def _useful_swap(tables: Sequence[Sequence[str]], meetings: Meetings) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return two (table, seat) whose entrants should change places, near tables first, or `None`."""
    burdens = [rematches(table, meetings) for table in tables]
    near = sorted(itertools.combinations(range(len(tables)), 2), key=lambda two: two[1] - two[0])
    for one, other in near:
        if not burdens[one] and not burdens[other]:
            continue
        for seat, place in itertools.product(range(len(tables[one])), range(len(tables[other]))):
            first, second = list(tables[one]), list(tables[other])
            first[seat], second[place] = second[place], first[seat]
            if rematches(first, meetings) + rematches(second, meetings) < burdens[one] + burdens[other]:
                return (one, seat), (other, place)
    return None


def rematches(table: Sequence[str], meetings: Meetings) -> int:
    """Return how bad a table is: the sum of the squares of the meetings of its pairs."""
    return sum(meetings(one, other) ** 2 for one, other in itertools.combinations(table, 2))


def choose_byes(
    candidates: Sequence[str], size: int, tables: int, byes: Mapping[str, int], owners: Owners
) -> frozenset[str]:
    """Return who sits out so that the others fill that many tables: those with the fewest byes so far.

    Of these the last in the list; those first whose owner has too many at so few tables.
    """
    last_first = list(reversed(candidates))
    overdue = sorted(last_first, key=lambda entrant: byes[entrant])
    return sitting_out(overdue, size, tables, owners)


class Matching:
    """A matching of as many vertices as possible, kept while pairs are taken out of the graph."""

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        self._neighbours = neighbours
        self._mate = [_NOBODY] * len(neighbours)
        self._is_out = [False] * len(neighbours)
        for vertex in range(len(neighbours)):
            if self._mate[vertex] == _NOBODY:
                _Search(neighbours, self._mate, self._is_out, vertex).augment()

    @property
    def is_perfect(self) -> bool:
        """Whether every vertex that is left has a partner."""
        return all(out or mate != _NOBODY for out, mate in zip(self._is_out, self._mate, strict=True))

    def take_out(self, one: int, other: int) -> bool:
        """Take two neighbours out as a pair if all vertices left can still be matched; return whether it was done.

        Only for a perfect matching.
        """
        before = self._mate.copy()
        widows = [mate for mate in (self._mate[one], self._mate[other]) if mate not in (one, other)]
        for vertex in (one, other, *widows):
            self._mate[vertex] = _NOBODY
        self._is_out[one] = self._is_out[other] = True
        if not widows or _Search(self._neighbours, self._mate, self._is_out, widows[0]).augment():
            return True
        self._mate[:] = before
        self._is_out[one] = self._is_out[other] = False
        return False


class _Search:
    """One search for an augmenting path from a free vertex."""

    def __init__(self, neighbours: Sequence[Sequence[int]], mate: list[int], is_out: Sequence[bool], root: int) -> None:
        self._neighbours, self._mate, self._is_out, self._root = neighbours, mate, is_out, root
        self._parent = [_NOBODY] * len(mate)
        self._base = list(range(len(mate)))
        self._seen = [False] * len(mate)
        self._queue = deque([root])

    def augment(self) -> bool:
        """Match the root and one more vertex if possible, and return whether it was."""
        self._seen[self._root] = True
        while self._queue:
            vertex = self._queue.popleft()
            for other in self._neighbours[vertex]:
                if not self._is_out[other] and self._visit(vertex, other):
                    return True
        return False

    def _visit(self, vertex: int, other: int) -> bool:
        if self._base[vertex] == self._base[other] or self._mate[vertex] == other:
            return False
        if other == self._root or (self._mate[other] != _NOBODY and self._parent[self._mate[other]] != _NOBODY):
            self._contract(vertex, other)
        elif self._parent[other] == _NOBODY:
            self._parent[other] = vertex
            if self._mate[other] == _NOBODY:
                self._flip(other)
                return True
            self._reach(self._mate[other])
        return False

    def _reach(self, vertex: int) -> None:
        if not self._seen[vertex]:
            self._seen[vertex] = True
            self._queue.append(vertex)

    def _contract(self, vertex: int, other: int) -> None:
        """Contract the odd cycle that this edge closes: all its vertices become one."""
        stem = self._common_base(vertex, other)
        blossom: set[int] = set()
        self._mark(vertex, stem, other, blossom)
        self._mark(other, stem, vertex, blossom)
        for inside in range(len(self._base)):
            if self._base[inside] in blossom:
                self._base[inside] = stem
                self._reach(inside)

    def _common_base(self, vertex: int, other: int) -> int:
        above = set()
        while True:
            vertex = self._base[vertex]
            above.add(vertex)
            if self._mate[vertex] == _NOBODY:
                break
            vertex = self._parent[self._mate[vertex]]
        while self._base[other] not in above:
            other = self._parent[self._mate[self._base[other]]]
        return self._base[other]

    def _mark(self, vertex: int, stem: int, child: int, blossom: set[int]) -> None:
        while self._base[vertex] != stem:
            blossom |= {self._base[vertex], self._base[self._mate[vertex]]}
            self._parent[vertex] = child
            child = self._mate[vertex]
            vertex = self._parent[self._mate[vertex]]

    def _flip(self, vertex: int) -> None:
        while vertex != _NOBODY:
            before = self._parent[vertex]
            next_ = self._mate[before]
            self._mate[vertex], self._mate[before] = before, vertex
            vertex = next_
