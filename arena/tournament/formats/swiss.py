"""Swiss system: rounds between those who stand alike, in pairs or at tables of up to five seats. Pure, no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from arena.tournament.formats.format import (
    KEEPS_FAILING,
    CircularOrder,
    FormatStanding,
    ScheduleError,
    Situation,
    Tally,
    Traits,
    check_entrants,
    check_size,
)
from arena.tournament.formats.pairing import choose_byes, seat_tables
from arena.tournament.formats.table_grouping import count_tables, crowded, draw, owners_of, seat_groups
from arena.tournament.formats.tally import keep_failing, most_block_points, standing_rows, tally
from engine.translatable import Text

RETIRE_AFTER = 3
USUAL = 0
"""Stands for as many rounds as are usual, while nobody knows how many enter."""


def usual_rounds(entrants: int, seats: int) -> int:
    """Return after how many rounds one entrant at most is unbeaten: log of `entrants` to base `seats`, rounded up."""
    rounds, reach = 1, seats
    while reach < entrants:
        rounds, reach = rounds + 1, reach * seats
    return rounds


@dataclass(frozen=True, slots=True)
class Swiss:
    """`rounds` waves; in each, neighbours in the table meet who have not met yet.

    Points are those of whole blocks. A bye is worth what winning all matches would be, a void block half of that, and a
    round before an entrant came nothing, as is a bye that comes of its owner having more bots than can play at once. An
    entrant that forfeits every match of `retire_after` blocks in a row is not paired any more (0: it is paired on).
    """

    seats: int
    rounds: int = 5
    blocks: int = 1
    """The number of blocks of each pairing, one after another in the same round."""
    retire_after: int = RETIRE_AFTER

    traits = Traits("swiss", lag=1, takes_late_entrants=True)

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, no rounds, or too many matches."""
        check_entrants(entrants, self.seats)
        if self.rounds < 1 or self.blocks < 1:
            raise ScheduleError(
                Text(
                    "{rounds} rounds of {blocks} blocks are no tournament; ask for 1 or more of each",
                    rounds=self.rounds,
                    blocks=self.blocks,
                )
            )
        check_size(entrants // self.seats * self.seats * self.blocks * self.rounds)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the next round: near neighbours in the table who have not met."""
        tallies = self._tallies(situation)
        active = self._active(situation, tallies)
        if situation.wave >= self.rounds or len(active) < self.seats:
            return []
        lots = draw(situation, "swiss", situation.wave)
        ranked = sorted(active, key=lambda entrant: (-tallies[entrant].points, lots[entrant]))
        owners = owners_of(situation.entrants)
        had = {entrant: tallies[entrant].byes for entrant in ranked}
        byes = choose_byes(ranked, self.seats, count_tables(ranked, self.seats, owners), had, owners)
        seated = [entrant for entrant in ranked if entrant not in byes]
        tables = seat_tables(seated, self.seats, lambda one, other: tallies[one].met[other], owners)
        return seat_groups(situation, [table for table in tables for _ in range(self.blocks)])

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table by points, then by the points of the opponents."""
        tallies = self._tallies(situation)
        failing = keep_failing(tallies, self.retire_after)
        return standing_rows(
            situation,
            tallies,
            lambda entrant: (
                -tallies[entrant].points,
                -sum(tallies[other].points * times for other, times in tallies[entrant].met.items()),
            ),
            lambda entrant: _status(tallies[entrant], entrant in failing),
        )

    def _active(self, situation: Situation, tallies: dict[str, Tally]) -> list[str]:
        failing = keep_failing(tallies, self.retire_after)
        return [entrant for entrant in situation.present if entrant not in failing]

    def _tallies(self, situation: Situation) -> dict[str, Tally]:
        """Return the tallies together with what byes and void blocks are worth."""
        tallies = tally(situation)
        most = most_block_points(self.seats)
        for own in tallies.values():
            own.points += own.void * most // 2
            own.possible += own.void * most
        for entrant, is_crowded in chain.from_iterable(self._byes(situation)):
            tallies[entrant].byes += 1
            if is_crowded:
                continue
            tallies[entrant].points += most * self.blocks
            tallies[entrant].possible += most * self.blocks
        return tallies

    def byes(self, situation: Situation) -> list[list[str]]:
        """Return, round by round, everybody who could have been paired and was not."""
        return [[entrant for entrant, _ in round_] for round_ in self._byes(situation)]

    def _byes(self, situation: Situation) -> list[list[tuple[str, bool]]]:
        """Return `byes`, each with whether its owner had too many bots in that round."""
        found: list[list[tuple[str, bool]]] = []
        owners = owners_of(situation.entrants)
        for number in range(situation.wave):
            before = Situation(situation.entrants, situation.waves[:number], situation.seed)
            playing = {entrant for block in situation.waves[number] for entrant in block.order}
            active = self._active(before, tally(before))
            many = crowded(active, self.seats, owners)
            found.append([(entrant, entrant in many) for entrant in active if entrant not in playing])
        return found


def _status(own: Tally, is_failing: bool) -> str:
    if is_failing:
        return KEEPS_FAILING
    if own.byes == 1:
        return Text("1 bye")
    return Text("{count} byes", count=own.byes) if own.byes else ""
