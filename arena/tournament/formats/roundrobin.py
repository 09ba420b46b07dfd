"""Round robin, sample and gauntlet: formats that know all their blocks beforehand. Pure, no I/O."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from arena.tournament.formats import schedule
from arena.tournament.formats.circular_orders import seat_groups
from arena.tournament.formats.combinations import CombinationOrder
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.format import Standing
from arena.tournament.formats.sampling import balanced_sample
from arena.tournament.formats.seeds import derive
from arena.tournament.formats.situation import CircularOrder, Situation
from arena.tournament.formats.tally import by_score, standing_rows, tally
from engine.chance import SeededChance


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every combination of entrants in equally many blocks: 1 is a single, 2 a double round robin."""

    seats: int
    blocks: int = 1

    name: ClassVar[str] = "round-robin"
    lag: ClassVar[int] = 0
    takes_late_entrants: ClassVar[bool] = False
    blocks_a_seed: ClassVar[int] = 1

    def check(self, entrants: int) -> None:
        """See `Format`."""
        schedule.check_schedule([str(place) for place in range(entrants)], seats=self.seats, blocks=self.blocks)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """See `Format`."""
        if situation.wave:
            return []
        entrants = [entrant.id for entrant in situation.entrants]
        blocks = schedule.schedule(entrants, seats=self.seats, blocks=self.blocks, seed=situation.seed)
        return [block.order for block in blocks]

    def standings(self, situation: Situation) -> list[Standing]:
        """See `Format`: by score."""
        return _by_score(situation)


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of all combinations: each entrant in about `blocks` blocks, no pair more than two ahead of another."""

    seats: int
    blocks: int = 10
    """Of each entrant, at least."""

    name: ClassVar[str] = "sample"
    lag: ClassVar[int] = 0
    takes_late_entrants: ClassVar[bool] = False
    blocks_a_seed: ClassVar[int] = 1

    def check(self, entrants: int) -> None:
        """See `Format`."""
        _check_field(self.name, entrants, self.seats, self.blocks)
        check_size(math.ceil(entrants * self.blocks / self.seats) * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """See `Format`."""
        if situation.wave:
            return []
        places = len(situation.entrants)
        least = math.ceil(places * self.blocks / self.seats)
        chosen = balanced_sample(places, self.seats, least, situation.seed)
        check_size(len(chosen) * self.seats)
        return seat_groups(situation, [[situation.entrants[place].id for place in places] for places in chosen])

    def standings(self, situation: Situation) -> list[Standing]:
        """See `Format`: by score."""
        return _by_score(situation)


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The first entrant, the challenger, against every combination of the others."""

    seats: int
    blocks: int = 1
    """Of each combination."""

    name: ClassVar[str] = "gauntlet"
    lag: ClassVar[int] = 0
    takes_late_entrants: ClassVar[bool] = False
    blocks_a_seed: ClassVar[int] = 1

    def check(self, entrants: int) -> None:
        """See `Format`."""
        _check_field(self.name, entrants, self.seats, self.blocks)
        check_size(math.comb(entrants - 1, self.seats - 1) * self.blocks * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """See `Format`."""
        return [] if situation.wave else seat_groups(situation, self._groups(situation))

    def _groups(self, situation: Situation) -> Iterator[list[str]]:
        challenger, *others = [entrant.id for entrant in situation.entrants]
        combinations = CombinationOrder(len(others), self.seats - 1)
        secret = situation.seed.to_bytes(8, "big")
        for cycle in range(self.blocks):
            for places in combinations.deal(SeededChance(derive(secret, "gauntlet", cycle))):
                yield [challenger, *(others[place] for place in places)]

    def standings(self, situation: Situation) -> list[Standing]:
        """See `Format`: the challenger, then the others by score. They met the challenger, not one another."""
        tallies = tally(situation)
        challenger = situation.entrants[0].id
        score = by_score(tallies)
        return standing_rows(
            situation,
            tallies,
            lambda entrant: (entrant != challenger, score(entrant)),
            lambda entrant: "challenger" if entrant == challenger else "",
        )


def _by_score(situation: Situation) -> list[Standing]:
    tallies = tally(situation)
    return standing_rows(situation, tallies, by_score(tallies))


def _check_field(name: str, entrants: int, seats: int, blocks: int) -> None:
    if blocks < 1:
        raise ScheduleError(f"a {name} needs at least 1 block, not {blocks}")
    check_entrants(entrants, seats)


def check_entrants(entrants: int, least: int) -> None:
    """Raise ScheduleError if a format for `least` seats cannot begin with so many entrants."""
    if entrants < least:
        raise ScheduleError(f"{least} seats need at least {least} entrants, not {entrants}; name more bots")


def check_size(matches: int) -> None:
    """Raise ScheduleError if one tournament would have too many matches."""
    if matches > schedule.MAX_MATCHES:
        raise ScheduleError(
            f"that makes {matches} matches, over the {schedule.MAX_MATCHES} of one tournament; enter fewer bots or "
            "ask for fewer blocks"
        )
