"""Knockout: single or double elimination, in ties of best of n blocks, in pairs or at tables. Pure, no I/O.

The bracket is not stored: it is found anew from the blocks that were planned and played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.tournament.formats.bracket import Bracket
from arena.tournament.formats.circular_orders import draw, seat_groups
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.format import FormatStanding, Traits
from arena.tournament.formats.same_owner import owners_of
from arena.tournament.formats.situation import BlockState, CircularOrder, PlayedBlock, Situation, Wave
from arena.tournament.formats.sizes import check_entrants, check_size
from arena.tournament.formats.tally import standing_rows, tally
from engine.text import Text

MOST_BLOCKS = 99


@dataclass(frozen=True, slots=True)
class Knockout:
    """An entrant that loses `lives` ties is out; the points of `best_of` blocks decide a tie.

    A tie ends as soon as its blocks to come cannot change it. If it is equal after all of them, it goes on for three
    blocks at most; then the higher seed wins. At tables of 3 to 5 seats the better half stays, and the last table plays
    for the first place; there is no second life at tables. If only those are left
    who may not meet, being of one owner, they share the first place.
    """

    seats: int
    lives: int = 1
    best_of: int = 1
    drawn: bool = True
    """Whether the seeds are drawn; if not, they are the order of entry."""

    traits = Traits("knockout", lag=1)

    def check(self, entrants: int) -> None:
        """Raise ScheduleError for too few entrants, or settings that make no knockout."""
        check_entrants(entrants, self.seats)
        if self.lives not in (1, 2):
            raise ScheduleError(
                Text(
                    "tournaments.lives_no_knockout_use_1",
                    "{lives} lives are no knockout; use 1 (single) or 2 (double elimination)",
                    lives=self.lives,
                )
            )
        if self.lives == 2 and self.seats > 2:
            raise ScheduleError(
                Text(
                    "tournaments.double_elimination_played_2_seats",
                    "double elimination is played with 2 seats; use --seats 2 or leave out --double",
                )
            )
        if not 1 <= self.best_of <= MOST_BLOCKS:
            raise ScheduleError(
                Text(
                    "tournaments.best_blocks_impossible_use_1",
                    "a best of {blocks} blocks is impossible; use 1 to {most}",
                    blocks=self.best_of,
                    most=MOST_BLOCKS,
                )
            )
        check_size(entrants * self.lives * self.best_of * self.seats)

    def plan(self, situation: Situation) -> list[CircularOrder]:
        """Return the blocks that the open ties need."""
        groups = [tie.entrants for tie in self.bracket(situation).open_ties for _ in range(tie.blocks_wanted())]
        return seat_groups(situation, groups)

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return who is still in, then who went out later; those equal in one round share a place."""
        bracket = self.bracket(situation)
        return standing_rows(situation, tally(situation), bracket.order_key, bracket.status)

    def bracket(self, situation: Situation) -> Bracket:
        """Return the bracket as the blocks so far have made it."""
        bracket = Bracket(self._seeds(situation), self.seats, self.lives, self.best_of, owners_of(situation.entrants))
        leavers = [entrant for entrant in situation.entrants if entrant.withdrawn is not None]
        bracket.settle({entrant.id for entrant in leavers if entrant.has_left(0)})
        for number, wave in enumerate(situation.waves, start=1):
            following = situation.waves[number] if number < len(situation.waves) else None
            bracket.add([_as_acted_on(block, following) for block in wave])
            bracket.settle({entrant.id for entrant in leavers if entrant.has_left(number)})
        return bracket

    def _seeds(self, situation: Situation) -> Sequence[str]:
        """Return the entrants, the best seed first."""
        entered = [entrant.id for entrant in situation.entrants]
        lots = draw(situation, "knockout")
        return sorted(entered, key=lambda entrant: lots[entrant]) if self.drawn else entered


def _as_acted_on(block: PlayedBlock, following: Wave | None) -> PlayedBlock:
    """Return a block as the bracket counts it: what was annulled only after it was played on stays decided there.

    It was played on if the next wave has no block more of the same tie.
    """
    if block.state is not BlockState.ANNULLED or following is None:
        return block
    is_played_again = any(frozenset(other.order) == frozenset(block.order) for other in following)
    return block if is_played_again else replace(block, state=BlockState.WHOLE)
