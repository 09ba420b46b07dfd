"""Round robin, sample and gauntlet: formats that know all their blocks beforehand. Pure, no I/O."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from arena.tournament.formats.circular_orders import seat_groups
from arena.tournament.formats.combinations import CombinationOrder
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.format import CHALLENGER, FormatStanding, Traits
from arena.tournament.formats.same_owner import are_apart, owners_of
from arena.tournament.formats.sampling import balanced_sample, sample_apart
from arena.tournament.formats.schedule import check_round_robin, schedule
from arena.tournament.formats.seeds import derive
from arena.tournament.formats.situation import CircularOrder, Situation
from arena.tournament.formats.sizes import check_entrants, check_size
from arena.tournament.formats.tally import by_score, standing_rows, standings_by_score, tally
from engine.chance import SeededChance
from engine.text import Text


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
