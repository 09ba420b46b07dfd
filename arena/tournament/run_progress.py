"""How far a run is, as a value; and the tally that makes it. No I/O, no clock of its own."""

from __future__ import annotations

from dataclasses import dataclass

from arena.match.report import MatchReport


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a tournament is, and how fast this run of it goes."""

    finished: int
    """Matches with a result, those of earlier runs too."""
    void: int
    """Matches given up because the host lost them, or because of a cancellation."""
    total: int
    """Matches planned so far; waves that are planned later add to them."""
    played: int
    """Matches finished by this run."""
    plies: int
    """Of those: all actions, forced ones and openings too."""
    decisions: int
    """Of those: what bots were asked for."""
    lost: int
    """Attempts of this run that the host lost."""
    elapsed_s: float
    """Since this run began."""
    is_cancelled: bool = False
    """Another command cancelled the tournament meanwhile."""

    @property
    def over(self) -> int:
        """Matches that need not be played any more."""
        return self.finished + self.void

    @property
    def games_per_second(self) -> float:
        """Of this run; 0 before its first match has ended."""
        return self.played / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def eta_s(self) -> float | None:
        """Seconds to the end at this pace; None before the first match has ended."""
        return (self.total - self.over) / self.games_per_second if self.games_per_second else None


class Tally:
    """Counts what a run did."""

    def __init__(self, *, finished: int, void: int, total: int, started_s: float) -> None:
        """Begin with what earlier runs did."""
        self._finished = finished
        self._void = void
        self._total = total
        self._started_s = started_s
        self._played = self._plies = self._decisions = self._lost = 0
        self._is_cancelled = False
        self._lost_since: set[str] = set()

    @property
    def lost_in_a_row(self) -> int:
        """How many different matches the host has lost since it finished one."""
        return len(self._lost_since)

    def count_report(self, report: MatchReport) -> None:
        """A match was recorded."""
        self._finished += 1
        self._played += 1
        self._plies += report.plies
        self._decisions += report.decisions
        self._lost_since.clear()

    def count_lost(self, match_id: str, *, again: bool) -> None:
        """The host lost a match; `again` tells whether it will be played again."""
        self._lost += 1
        self._void += not again
        self._lost_since.add(match_id)

    def count_planned(self, matches: int) -> None:
        """A wave was planned."""
        self._total += matches

    def correct(self, *, finished: int, void: int, total: int, is_cancelled: bool) -> None:
        """Set what the database says; somebody may have cancelled the tournament meanwhile, or a bot withdrawn."""
        self._finished = finished
        self._void = void
        self._total = total
        self._is_cancelled = is_cancelled

    def at(self, now_s: float) -> RunProgress:
        """The progress at an instant of the clock that gave `started_s`."""
        return RunProgress(
            finished=self._finished,
            void=self._void,
            total=self._total,
            played=self._played,
            plies=self._plies,
            decisions=self._decisions,
            lost=self._lost,
            elapsed_s=now_s - self._started_s,
            is_cancelled=self._is_cancelled,
        )
