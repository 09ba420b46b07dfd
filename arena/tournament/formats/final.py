"""Final: the last tournament of a season, in which all entrants play exactly equally many matches. Pure, no I/O."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.tournament.formats.format import (
    CircularOrder,
    FormatStanding,
    ScheduleError,
    Situation,
    Traits,
    check_entrants,
    check_size,
)
from arena.tournament.formats.random_seeds import derive
from arena.tournament.formats.table_grouping import Owners, most_tables, owners_of, seat_groups
from arena.tournament.formats.tally import standings_by_score
from engine.chance import SeededChance
from engine.translatable import Text


@dataclass(frozen=True, slots=True)
class Final:
    """Rounds in which everybody sits in exactly `seats` blocks, with as many different opponents as there are.

    The entrants stand in a circle that is drawn anew for each round; a round's blocks are one group of places on it and
    the groups that come of turning it place by place, so nobody plays more than another, whatever their number.
    """

    seats: int
    blocks: int = 12
    """The least number of blocks of each entrant; it is rounded up to whole rounds."""

    traits = Traits("final")

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, no blocks, or too many matches."""
        if self.blocks < 1:
            raise ScheduleError(Text("a final needs at least 1 block, not {blocks}", blocks=self.blocks))
        check_entrants(entrants, self.seats)
        check_size(self.rounds * entrants * self.seats)

    @property
    def rounds(self) -> int:
        """How many rounds there are; a round gives each entrant as many blocks as a match has seats."""
        return math.ceil(self.blocks / self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the whole schedule as wave 0."""
        return [] if situation.wave else seat_groups(situation, self._groups(situation))

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by score."""
        return standings_by_score(situation)

    def _groups(self, situation: Situation) -> Iterator[list[str]]:
        secret = situation.seed.to_bytes(8, "big")
        entrants = [entrant.id for entrant in situation.entrants]
        owners = owners_of(situation.entrants)
        if len(set(owners.values())) < len(entrants):
            yield from self._groups_apart(entrants, owners, SeededChance(derive(secret, "final")))
            return
        for round_ in range(self.rounds):
            chance = SeededChance(derive(secret, "final", round_))
            circle = list(entrants)
            chance.shuffle(circle)
            places = list(range(1, len(circle)))
            chance.shuffle(places)
            chosen = (0, *places[: self.seats - 1])
            for turn in range(len(circle)):
                yield [circle[(place + turn) % len(circle)] for place in chosen]

    def _groups_apart(self, entrants: Sequence[str], owners: Owners, chance: SeededChance) -> Iterator[list[str]]:
        """Yield blocks in which no two of one owner meet: everybody sits in equally many, if that can be.

        Of an owner with more bots than fit beside the others some play less.
        """
        due = Counter(dict.fromkeys(entrants, self.rounds * self.seats))
        met: Counter[frozenset[str]] = Counter()
        lots = list(entrants)
        for tables in range(most_tables(_of_owners(due, owners).values(), self.seats), 0, -1):
            chance.shuffle(lots)
            blocks = _of_owners(due, owners)
            group: list[str] = []
            waiting = [entrant for entrant in lots if due[entrant]]
            while len(group) < self.seats:
                # Whose owner must be at each of the tables that are left comes first, then who lacks most.
                entrant = min(
                    waiting,
                    key=lambda entrant: (
                        blocks[owners[entrant]] < tables,
                        -due[entrant],
                        sum(met[frozenset((entrant, other))] for other in group),
                    ),
                )
                group.append(entrant)
                waiting = [other for other in waiting if owners[other] != owners[entrant]]
            due.subtract(group)
            met.update(frozenset(two) for two in combinations(group, 2))
            yield group


def _of_owners(due: Mapping[str, int], owners: Owners) -> Counter[str]:
    found: Counter[str] = Counter()
    for entrant, blocks in due.items():
        found[owners[entrant]] += blocks
    return found
