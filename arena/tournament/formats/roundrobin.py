"""Round robin, sample and gauntlet: formats that know all blocks beforehand, in a fair order. Pure, no I/O."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from arena.tournament.formats.format import (
    CHALLENGER,
    MAX_MATCHES,
    CircularOrder,
    FormatStanding,
    ScheduleError,
    Situation,
    Traits,
    check_entrants,
    check_size,
)
from arena.tournament.formats.random_seeds import derive
from arena.tournament.formats.table_grouping import are_apart, circular_order, owners_of, seat_groups
from arena.tournament.formats.tally import by_score, standing_rows, standings_by_score, tally
from engine.chance import Chance, SeededChance
from engine.translatable import Text

T = TypeVar("T")
# Looking at all orbits would be quadratic in their number, and those in front are a random sample anyway.
_ORBITS_LOOKED_AT = 64
MOST_APART = 2
"""The most by which the meetings of any two pairs of entrants may differ."""
_TRIES = 4
_SWAPS_PER_BLOCK = 40


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every combination of entrants in equally many blocks: 1 is a single, 2 a double round robin."""

    seats: int
    blocks: int = 1

    traits = Traits("round-robin")

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, no blocks, or too many matches."""
        check_round_robin(entrants, seats=self.seats, blocks=self.blocks)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the whole schedule as wave 0."""
        if situation.wave:
            return []
        entrants = [entrant.id for entrant in situation.entrants]
        owners = owners_of(situation.entrants)
        planned = schedule(entrants, seats=self.seats, blocks=self.blocks, seed=situation.seed)
        return [order for order in planned if are_apart(order, owners)]

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by score."""
        return standings_by_score(situation)


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of all combinations: each entrant in about `blocks` blocks, no pair more than two ahead of another."""

    seats: int
    blocks: int = 10
    """The least number of blocks of each entrant."""

    traits = Traits("sample")

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, no blocks, or too many matches."""
        _check_field(self.traits.name, entrants, self.seats, self.blocks)
        check_size(math.ceil(entrants * self.blocks / self.seats) * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the whole sample as wave 0."""
        if situation.wave:
            return []
        places = len(situation.entrants)
        least = math.ceil(places * self.blocks / self.seats)
        owners = [owners_of(situation.entrants)[entrant.id] for entrant in situation.entrants]
        if len(set(owners)) < places:
            chosen = sample_apart(owners, self.seats, self.blocks, situation.seed)
        else:
            chosen = balanced_sample(places, self.seats, least, situation.seed)
        check_size(len(chosen) * self.seats)
        return seat_groups(situation, [[situation.entrants[place].id for place in places] for places in chosen])

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by score."""
        return standings_by_score(situation)


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The first entrant, the challenger, against every combination of the others."""

    seats: int
    blocks: int = 1
    """The number of blocks of each combination of opponents."""

    traits = Traits("gauntlet")

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, no blocks, or too many matches."""
        _check_field(self.traits.name, entrants, self.seats, self.blocks)
        check_size(math.comb(entrants - 1, self.seats - 1) * self.blocks * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the whole schedule as wave 0."""
        return [] if situation.wave else seat_groups(situation, self._groups(situation))

    def _groups(self, situation: Situation) -> Iterator[list[str]]:
        challenger, *others = [entrant.id for entrant in situation.entrants]
        combinations = CombinationOrder(len(others), self.seats - 1)
        secret = situation.seed.to_bytes(8, "big")
        owners = owners_of(situation.entrants)
        for cycle in range(self.blocks):
            for places in combinations.deal(SeededChance(derive(secret, "gauntlet", cycle))):
                group = [challenger, *(others[place] for place in places)]
                if are_apart(group, owners):
                    yield group

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the challenger without a place, then the others by score: they met him, not one another."""
        tallies = tally(situation)
        challenger = situation.entrants[0].id
        score = by_score(tallies)
        first, *others = standing_rows(
            situation,
            tallies,
            lambda entrant: (entrant != challenger, score(entrant)),
            lambda entrant: CHALLENGER if entrant == challenger else "",
        )
        return [replace(first, place=0), *(replace(one, place=one.place - 1) for one in others)]


def _check_field(name: str, entrants: int, seats: int, blocks: int) -> None:
    if blocks < 1:
        raise ScheduleError(Text("a {name} needs at least 1 block, not {blocks}", name=name, blocks=blocks))
    check_entrants(entrants, seats)


def schedule(entrants: Sequence[str], *, seats: int, blocks: int, seed: int) -> list[CircularOrder]:
    """Return the blocks in the order of play: each combination of `seats` entrants in `blocks` blocks.

    A function of its arguments alone; of the entrants only their places in the list matter, never their names. The
    combinations alternate so that every beginning of the list is balanced; of one combination, successive blocks run
    through all (seats - 1)! circular orders in a drawn order, and then through all anew. Raises ScheduleError.
    """
    repeated = [entrant for entrant, times in Counter(entrants).items() if times > 1]
    if repeated:
        raise ScheduleError(Text("{name} is entered more than once; name each version once", name=repeated[0]))
    check_round_robin(len(entrants), seats=seats, blocks=blocks)
    secret = seed.to_bytes(8, "big")
    combinations = CombinationOrder(len(entrants), seats)
    planned: list[CircularOrder] = []
    for cycle in range(blocks):
        for combination in combinations.deal(SeededChance(derive(secret, "cycle", cycle))):
            around = circular_order(combination, cycle, seed)  # each plays once a cycle
            planned.append(tuple(entrants[place] for place in around))
    return planned


def count_matches(entrants: int, *, seats: int, blocks: int) -> int:
    """Return how many matches the blocks of `schedule` have."""
    return math.comb(entrants, seats) * blocks * seats


def check_round_robin(entrants: int, *, seats: int, blocks: int) -> None:
    """Raise ScheduleError unless so many entrants can play a round robin of so many blocks a combination."""
    if seats < 2:
        raise ScheduleError(Text("a round robin needs at least 2 seats, not {seats}", seats=seats))
    if blocks < 1:
        raise ScheduleError(Text("a round robin needs at least 1 block a combination, not {blocks}", blocks=blocks))
    check_entrants(entrants, seats)
    matches = count_matches(entrants, seats=seats, blocks=blocks)
    if matches > MAX_MATCHES:
        raise ScheduleError(
            Text(
                "{entrants} entrants in {seats} seats with {blocks} blocks a combination are {matches} matches, "
                "over the {most} of one tournament; enter fewer bots or ask for fewer blocks",
                entrants=entrants,
                seats=seats,
                blocks=blocks,
                matches=matches,
                most=MAX_MATCHES,
            )
        )


Combination = tuple[int, ...]


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
                for place in combination:
                    self._dealt[place] += 1
                self._met.update(itertools.combinations(combination, 2))
                yield combination

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
            turned = (tuple(sorted((place + turn) % places for place in combination)) for turn in range(places))
            orbit = list(dict.fromkeys(turned))
            seen.update(orbit)
            orbits.append(orbit)
    return orbits


def _take_least(items: list[T], key: Callable[[T], tuple[int, ...]], looked_at: int) -> T:
    """Remove and return the first item whose key is least among the first `looked_at`."""
    least = min(range(min(looked_at, len(items))), key=lambda index: key(items[index]))
    return items.pop(least)


Places = tuple[int, ...]


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
        first = int(self._random() * len(self.blocks))
        second = int(self._random() * (len(self.blocks) - 1))
        second += second >= first
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
