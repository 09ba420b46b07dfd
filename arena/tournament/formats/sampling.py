"""A balanced part of all combinations, for fields where all are too many. Pure, no I/O.

No design theory covers every number of entrants and seats. So blocks are chosen one by one, each of those who have
played least and met least, then swaps between blocks even out what is left, and the result is looked at: if two pairs
of entrants still differ by more than two meetings, one more block is asked for, and at the latest all combinations
together are balanced exactly.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from random import Random

from arena.tournament.formats.seeds import derive
from engine.chance import SeededChance

Places = tuple[int, ...]
MOST_APART = 2
"""The most by which the meetings of any two pairs of entrants may differ."""
_TRIES = 4
_SWAPS_PER_BLOCK = 40


def balanced_sample(places: int, size: int, least: int, seed: int) -> list[Places]:
    """Return at least `least` blocks of `size` out of `places`, ascending in each; usually exactly `least`.

    No pair of places meets more than two times more often than another, and no place is in more than two blocks more
    than another. As many whole rounds of all combinations as fit in come first.
    """
    every = math.comb(places, size)
    rounds, rest = divmod(least, every)
    secret = seed.to_bytes(8, "big")
    chance = SeededChance(derive(secret, "sample"))
    blocks: list[Places] = []
    for _ in range(rounds):
        round_ = list(itertools.combinations(range(places), size))
        chance.shuffle(round_)
        blocks.extend(round_)
    return blocks + (_part(places, size, rest, secret) if rest else [])


def sample_apart(owners: Sequence[str], size: int, least: int, seed: int) -> list[Places]:
    """Return blocks in which each place sits at least `least` times, never two of one owner in one block.

    `owners` are those of the places. Who may meet does so about equally often; whose owner has few bots plays more.
    """
    table = _Table(len(owners), size, derive(seed.to_bytes(8, "big"), "apart"), owners)
    while table.least_played < least:
        table.add_block()
    table.even_out()
    return [tuple(sorted(block)) for block in table.blocks]


def _part(places: int, size: int, least: int, secret: bytes) -> list[Places]:
    """Return at least `least` of the combinations, or all of them where no smaller number is balanced."""
    for count in range(least, math.comb(places, size)):
        for attempt in range(_TRIES):
            table = _Table(places, size, derive(secret, "part", count, attempt))
            for _ in range(count):
                table.add_block()
            table.even_out()
            if table.apart <= MOST_APART:
                return [tuple(sorted(block)) for block in table.blocks]
    return list(itertools.combinations(range(places), size))


class _Table:
    """The blocks of a sample while it is made, and how often each pair has met in them."""

    def __init__(self, places: int, size: int, seed: int, owners: Sequence[str] | None = None) -> None:
        self._owners = range(places) if owners is None else owners
        self.blocks: list[list[int]] = []
        self._size = size
        self._chance = SeededChance(seed)
        self._random = Random(seed).random  # a Chance has no cheap number out of many
        self._order = list(range(places))
        self._played = [0] * places
        self._met = [[0] * places for _ in range(places)]

    @property
    def apart(self) -> int:
        """The difference between the meetings of the pair that met most and of the pair that met least."""
        pairs = itertools.combinations(range(len(self._played)), 2)
        counts = [self._met[one][other] for one, other in pairs if self._owners[one] != self._owners[other]]
        return max(counts) - min(counts)

    @property
    def least_played(self) -> int:
        """The number of blocks of the place that is in fewest."""
        return min(self._played)

    def add_block(self) -> None:
        """Add a block: the place that played least, then one after another those that met its members least."""
        least = min(self._played)
        self._chance.shuffle(self._order)
        block = [min(self._order, key=self._played.__getitem__)]
        burden = [(times, times) for times in self._met[block[0]]]  # most meetings with one of the block, and with all
        while len(block) < self._size:
            taken = {self._owners[place] for place in block}
            free = (place for place in self._order if self._owners[place] not in taken)
            chosen = min(free, key=lambda place: (self._played[place] > least + 1, burden[place], self._played[place]))
            block.append(chosen)
            for place, times in enumerate(self._met[chosen]):
                most, total = burden[place]
                burden[place] = max(most, times), total + times
        self._count(block, 1)
        self.blocks.append(block)

    def _count(self, block: Sequence[int], times: int) -> None:
        for place in block:
            self._played[place] += times
        for one, other in itertools.permutations(block, 2):
            self._met[one][other] += times

    def even_out(self) -> None:
        """Swap entrants of two blocks while that makes the meetings more equal, for a bounded time."""
        if self.apart <= MOST_APART or len(self.blocks) < 2:
            return
        for _ in range(_SWAPS_PER_BLOCK * len(self.blocks)):
            self._try_swap()

    def _try_swap(self) -> None:
        first, second = self._two_blocks()
        one, other = self.blocks[first], self.blocks[second]
        mine = [place for place in one if place not in other]
        theirs = [place for place in other if place not in one]
        best = min(
            (
                (self._gain(one, other, out, into), out, into)
                for out in mine
                for into in theirs
                if self._fits(one, out, into) and self._fits(other, into, out)
            ),
            default=(1, 0, 0),
        )
        if best[0] <= 0:
            self._swap(one, other, best[1], best[2])

    def _two_blocks(self) -> tuple[int, int]:
        first = int(self._random() * len(self.blocks))
        second = int(self._random() * (len(self.blocks) - 1))
        return first, second + (second >= first)

    def _fits(self, block: Sequence[int], leaves: int, comes: int) -> bool:
        """Return whether nobody else of the owner of the one that comes sits in the block."""
        return all(self._owners[place] != self._owners[comes] for place in block if place != leaves)

    def _gain(self, one: Sequence[int], other: Sequence[int], out: int, into: int) -> int:
        """Return half of the change that a swap would make to the sum of the squares of all meetings."""
        change: Counter[tuple[int, int]] = Counter()
        for block, leaves, comes in ((one, out, into), (other, into, out)):
            for place in block:
                if place != leaves:
                    change[min(place, leaves), max(place, leaves)] -= 1
                    change[min(place, comes), max(place, comes)] += 1
        return sum(
            (self._met[first][second] + by) ** 2 - self._met[first][second] ** 2
            for (first, second), by in change.items()
        )

    def _swap(self, one: list[int], other: list[int], out: int, into: int) -> None:
        self._count(one, -1)
        self._count(other, -1)
        one[one.index(out)], other[other.index(into)] = into, out
        self._count(one, 1)
        self._count(other, 1)
