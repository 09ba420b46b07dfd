"""How far the run of a tournament is, how fast it goes, and when it will be over. No I/O, no clock of its own."""

from __future__ import annotations

from dataclasses import dataclass

from arena.match.worker_report import MatchReport

LONG_S = 60.0
"""After so long the start is a small part of the whole, and a first result is enough for an estimate."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a tournament is, and how fast this run of it goes."""

    finished: int
    """The matches with a result, those of earlier runs too."""
    void: int
    """The matches given up because the host lost them, a bot withdrew, or the tournament was cancelled."""
    total: int
    """The matches planned so far; waves that are planned later add to them."""
    played: int
    """The matches that this run finished."""
    plies: int
    """The plies of the matches played: all actions, forced ones and openings too."""
    decisions: int
    """The decisions of the matches played: what bots were asked for."""
    lost: int
    """The attempts of this run that the host lost."""
    is_cancelled: bool = False
    """Whether another command cancelled the tournament meanwhile."""
    blocked_s: float = 0.0
    """For how many seconds it has waited by now for another process to end its writing, or for the server."""
    is_lost: bool = False
    """Whether it waits for a server that does not answer."""
    speed: float | None = None
    """The matches a second now that everything has started, or `None` while that is not known; see `SpeedMeter`."""

    @property
    def over(self) -> int:
        """The matches that need not be played any more."""
        return self.finished + self.void


class RunTally:
    """Counts what a run did."""

    def __init__(self, *, finished: int, void: int, total: int, started_s: float, lanes: int = 1) -> None:
        """Begin with what earlier runs did; `started_s` is an instant of the clock that `at` is given.

        `lanes` matches are played at once.
        """
        self._finished = finished
        self._void = void
        self._total = total
        self._meter = SpeedMeter(started_s, lanes)
        self._played = self._plies = self._decisions = self._lost = 0
        self._is_cancelled = False

    @property
    def open(self) -> int:
        """How many of the matches planned so far have neither a result nor are void."""
        return self._total - self._finished - self._void

    def count_report(self, report: MatchReport) -> None:
        """Count a match that was recorded."""
        self._finished += 1
        self._played += 1
        self._plies += report.plies
        self._decisions += report.decisions

    def count_lost(self, *, again: bool) -> None:
        """Count an attempt that the host lost; `again` says whether its match will be played again."""
        self._lost += 1
        self._void += not again

    def count_planned(self, matches: int) -> None:
        """Count the matches of waves that were planned."""
        self._total += matches

    def correct(self, *, finished: int, void: int, total: int, is_cancelled: bool) -> None:
        """Set what the database says; somebody may have cancelled the tournament meanwhile, or withdrawn a bot."""
        self._finished = finished
        self._void = void
        self._total = total
        self._is_cancelled = is_cancelled

    def at(self, now_s: float) -> RunProgress:
        """Return the progress at an instant of the clock that gave `started_s`."""
        return RunProgress(
            finished=self._finished,
            void=self._void,
            total=self._total,
            played=self._played,
            plies=self._plies,
            decisions=self._decisions,
            lost=self._lost,
            is_cancelled=self._is_cancelled,
            speed=self._meter.speed(self._played, now_s),
        )


class SpeedMeter:
    """Measures matches a second from the results of a run, without the time in which workers, sandboxes and bots start.

    The first result of each lane holds its start, the later ones do not, since bots stay warm. So the time counts from
    the moment at which as many matches are over as there are lanes, and says something once as many again are over.
    """

    def __init__(self, began_s: float, lanes: int) -> None:
        """Begin at an instant of the clock that `speed` is given, with so many matches played at once."""
        self._began_s = began_s
        self._lanes = max(1, lanes)
        self._from: tuple[int, float] | None = None

    def speed(self, played: int, now_s: float) -> float | None:
        """Return the matches a second, given how many were played until now; `None` while it is not known."""
        if self._from is None and played >= self._lanes:
            self._from = (played, now_s)
        if self._from is not None:
            first, since_s = self._from
            if played - first >= self._lanes and now_s > since_s:
                return (played - first) / (now_s - since_s)
        elapsed_s = now_s - self._began_s
        return played / elapsed_s if played and elapsed_s >= LONG_S else None
