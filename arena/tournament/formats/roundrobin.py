"""Round robin, sample and gauntlet: formats that know all blocks beforehand, in a fair order. Pure, no I/O."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from arena.tournament.formats.sampling import balanced_sample, sample_apart
from arena.tournament.formats.seating import are_apart, circular_order, owners_of, seat_groups
from arena.tournament.formats.seeds import derive
from arena.tournament.formats.tally import by_score, standing_rows, standings_by_score, tally
from engine.chance import Chance, SeededChance
from engine.text import Text

T = TypeVar("T")
# Looking at all orbits would be quadratic in their number, and those in front are a random sample anyway.
_ORBITS_LOOKED_AT = 64


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
        raise ScheduleError(
            Text(
                "tournaments.needs_least_1_block_not",
                "a {name} needs at least 1 block, not {blocks}",
                name=name,
                blocks=blocks,
            )
        )
    check_entrants(entrants, seats)


def schedule(entrants: Sequence[str], *, seats: int, blocks: int, seed: int) -> list[CircularOrder]:
    """Return the blocks in the order of play: each combination of `seats` entrants in `blocks` blocks.

    A function of its arguments alone; of the entrants only their places in the list matter, never their names. The
    combinations alternate so that every beginning of the list is balanced; of one combination, successive blocks run
    through all (seats - 1)! circular orders in a drawn order, and then through all anew. Raises ScheduleError.
    """
    check_schedule(entrants, seats=seats, blocks=blocks)
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


def check_schedule(entrants: Sequence[str], *, seats: int, blocks: int) -> None:
    """Raise ScheduleError unless `schedule` can plan this."""
    repeated = [entrant for entrant, times in Counter(entrants).items() if times > 1]
    if repeated:
        raise ScheduleError(
            Text(
                "tournaments.entered_more_than_once_name",
                "{name} is entered more than once; name each version once",
                name=repeated[0],
            )
        )
    check_round_robin(len(entrants), seats=seats, blocks=blocks)


def check_round_robin(entrants: int, *, seats: int, blocks: int) -> None:
    """Raise ScheduleError unless so many entrants can play a round robin of so many blocks a combination."""
    if seats < 2:
        raise ScheduleError(
            Text(
                "tournaments.round_robin_needs_least_2",
                "a round robin needs at least 2 seats, not {seats}",
                seats=seats,
            )
        )
    if blocks < 1:
        raise ScheduleError(
            Text(
                "tournaments.round_robin_needs_least_1",
                "a round robin needs at least 1 block a combination, not {blocks}",
                blocks=blocks,
            )
        )
    check_entrants(entrants, seats)
    matches = count_matches(entrants, seats=seats, blocks=blocks)
    if matches > MAX_MATCHES:
        raise ScheduleError(
            Text(
                "tournaments.entrants_seats_blocks_combination_matches",
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
            turned = (tuple(sorted((place + turn) % places for place in combination)) for turn in range(places))
            orbit = list(dict.fromkeys(turned))
            seen.update(orbit)
            orbits.append(orbit)
    return orbits


def _take_least(items: list[T], key: Callable[[T], tuple[int, ...]], looked_at: int) -> T:
    """Remove and return the first item whose key is least among the first `looked_at`."""
    least = min(range(min(looked_at, len(items))), key=lambda index: key(items[index]))
    return items.pop(least)
