"""Perfect matchings in any graph, and whether one survives when a pair is taken out. Pure, no I/O.

Edmonds' blossom algorithm ("Paths, trees, and flowers", 1965): a search for augmenting paths that contracts odd
cycles. Vertices are 0..n-1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

_NOBODY = -1


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
