"""What a tournament format is: one protocol, and the table that it gives. Pure, no I/O.

A format plans in waves. Wave `k` is a function of the entrants, of the blocks planned in earlier waves, of the results
of waves up to `k - lag`, and of the seed: never of workers or of the order in which matches end. A block counts only
when it is whole: one void match voids its block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from arena.tournament.formats.situation import CircularOrder, Situation
from engine.text import Text

CHALLENGER = Text("tournaments.status_challenger", "challenger")
"""The status of who met all the others of a gauntlet."""
KEEPS_FAILING = Text("tournaments.status_keeps_failing", "keeps failing")
WITHDRAWN = Text("tournaments.status_withdrawn", "withdrawn")


@dataclass(frozen=True, slots=True)
class FormatStanding:
    """One line of the table that a format gives."""

    entrant: str
    place: int
    """1 = best; equals share a place. 0 for the challenger of a gauntlet, who stands first whatever he scored."""
    points: int
    """The points of its whole blocks (`tally.block_points`), and what byes gave."""
    possible: int
    """The points it could have had."""
    blocks: int
    """The number of its whole blocks."""
    status: str = ""
    """What else there is to say, for people: `withdrawn`, `out in round 2`."""

    @property
    def score(self) -> float:
        """The part of the possible points that it has, 0 to 1; 0 before its first whole block."""
        return self.points / self.possible if self.possible else 0.0


@dataclass(frozen=True, slots=True)
class Traits:
    """What holds for every tournament of a format, whatever its settings."""

    name: str
    lag: int = 0
    """Wave k looks at the results of waves up to k - lag; 0: at none, and all is planned in wave 0."""
    takes_late_entrants: bool = False


class Format(Protocol):
    """One way to hold a tournament. Instances are immutable settings; `plan` and `standings` are pure functions."""

    @property
    def traits(self) -> Traits:
        """What holds for all tournaments of the format."""

    @property
    def seats(self) -> int:
        """The number of seats of every match."""

    def check(self, entrants: int) -> None:
        """Raise ScheduleError unless this number of entrants can play such a tournament."""

    def plan(self, situation: Situation) -> Sequence[CircularOrder]:
        """Return the circular orders of the blocks of the next wave, or none if the tournament is over."""

    def standings(self, situation: Situation) -> list[FormatStanding]:
        """Return the table so far, best first."""


@runtime_checkable
class SharesSeeds(Protocol):
    """A format in which several successive blocks have the same opening and chance seed."""

    @property
    def blocks_per_seed(self) -> int:
        """How many do."""


def blocks_per_seed(form: Format) -> int:
    """Return how many successive blocks share opening and chance seed: 1 unless the format says otherwise."""
    return form.blocks_per_seed if isinstance(form, SharesSeeds) else 1


@runtime_checkable
class Concluding(Protocol):
    """A format that plays until it knows something."""

    def conclude(self, situation: Situation) -> dict[str, Any] | None:
        """Return for JSON what it knows where it plans no more, or `None` if it plans no more for another reason."""
