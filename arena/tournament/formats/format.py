"""What a tournament format is: a protocol, and the table that it gives. Pure, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from arena.tournament.formats.situation import CircularOrder, Situation


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a format's table."""

    entrant: str
    place: int
    """1 = best; equals share a place."""
    points: int
    """As `points.block_points` counts them, and what byes gave."""
    possible: int
    """The points it could have had."""
    blocks: int
    """Whole ones."""
    status: str = ""
    """What else there is to say, for people: `withdrawn`, `out in round 2`."""

    @property
    def score(self) -> float:
        """Points of the possible ones, 0 to 1; 0 before the first whole block."""
        return self.points / self.possible if self.possible else 0.0


class Format(Protocol):
    """One way to hold a tournament. Instances are immutable settings; `plan` and `standings` are pure functions."""

    name: ClassVar[str]
    lag: ClassVar[int]
    """Wave k looks at results of waves up to k - lag; 0: at none, all is planned in wave 0."""
    takes_late_entrants: ClassVar[bool]
    blocks_a_seed: ClassVar[int]
    """How many successive blocks share opening and chance seed."""

    @property
    def seats(self) -> int:
        """Seats of every match."""

    def check(self, entrants: int) -> None:
        """Raise ScheduleError unless so many entrants can play this."""

    def plan(self, situation: Situation) -> Sequence[CircularOrder]:
        """The blocks of the next wave; none when the tournament is over."""

    def standings(self, situation: Situation) -> list[Standing]:
        """The table so far, best first."""
