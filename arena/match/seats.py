"""The seats of one match: what each has in its bank and has heard, what it did wrong, and who is out. No rules here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.match.ranks import rank_seats
from arena.match.result import Fault, MatchResult
from engine.core import Outcome

BEFORE_START = -1
"""The instant of a forfeit before the first ply; that of a later one is the ply at which it happened."""


@dataclass(slots=True)
class SeatMemory:
    """What a match remembers of one seat between its decisions."""

    bank_us: int
    heard: int = 0
    """How many plies the seat has been told of."""
    dropped: int = 0
    """How many ids of its last answer were not played."""


class Seats:
    """The seats of a match in their order, and the forfeits and faults in the order in which they happened."""

    __slots__ = ("_all", "faults", "forfeits", "has_acted", "resigned")

    def __init__(self, number: int, bank_us: int) -> None:
        self._all = [SeatMemory(bank_us) for _ in range(number)]
        self.forfeits: dict[int, int] = {}
        """The instant of each forfeit by seat: its ply, or BEFORE_START."""
        self.resigned: list[int] = []
        self.faults: list[Fault] = []
        self.has_acted = False
        """Whether any bot has played an action."""

    def __getitem__(self, seat: int) -> SeatMemory:
        return self._all[seat]

    def is_out(self, seat: int) -> bool:
        """Whether the seat has forfeited."""
        return seat in self.forfeits

    def has_winner(self) -> bool:
        """Whether forfeits have left one seat or none in the match."""
        return bool(self.forfeits) and len(self._all) - len(self.forfeits) <= 1

    def faults_of(self, seat: int) -> Sequence[Fault]:
        """Return the faults of one seat."""
        return [fault for fault in self.faults if fault.seat == seat]

    def forfeit(self, fault: Fault, instant: int) -> None:
        """Put a seat out of the match for what it did wrong."""
        self.faults.append(fault)
        self.forfeits[fault.seat] = instant

    def resign(self, seat: int, instant: int) -> None:
        """Put a seat out of the match because it gave up, which is no fault."""
        self.resigned.append(seat)
        self.forfeits[seat] = instant

    def add_evidence(self, seat: int, evidence: Mapping[str, Any]) -> None:
        """Add evidence to every fault of a seat."""
        for fault in self.faults_of(seat):
            self.amend(fault, replace(fault, evidence={**fault.evidence, **evidence}))

    def amend(self, fault: Fault, amended: Fault) -> None:
        """Replace a fault by what has become known of it."""
        self.faults[:] = [amended if other is fault else other for other in self.faults]

    def result(self, outcome: Outcome | None) -> MatchResult:
        """Return the end of the match; `outcome` is None if the rules did not end the game."""
        return MatchResult(
            ranks=rank_seats(len(self._all), outcome.ranks if outcome else None, self.forfeits),
            by_rules=outcome is not None,
            rated=self.has_acted or len({fault.seat for fault in self.faults}) < len(self._all),
            forfeits=tuple(self.forfeits),
            resigned=tuple(self.resigned),
            faults=tuple(self.faults),
            details=dict(outcome.details) if outcome else {},
        )
