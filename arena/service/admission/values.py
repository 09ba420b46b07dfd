"""What an admission is asked and what it answers: plain values."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl, parse_time_control
from arena.model.admissions import Finding
from arena.trial.trials import TrialSetup

CLOCK = parse_time_control("250ms")
TIGHT_CLOCK = parse_time_control("50ms")


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A version to look at, and how."""

    admission_id: str
    bot: SeatSpec
    grounds: tuple[TrialSetup, ...]
    """Where it must be able to play, at least one; those of one game stand together, the fewest seats first."""
    samples: tuple[SeatSpec, ...]
    """Whom it plays against, at least one: quick bots that make no faults."""
    seed: int
    """Whatever is drawn follows from it."""
    rival: SeatSpec | None = None
    """Whom it plays against when the clock is tight; None for a sample."""
    clock: TimeControl = CLOCK
    """The clock of most matches: the tightest of the pools that wait for the bot, so that no honest bot is refused."""
    tight_clock: TimeControl = TIGHT_CLOCK
    """The clock of the match that shows whether it looks at its clock."""


class AdmissionOutcome(enum.StrEnum):
    """What becomes of an admission."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    UNDECIDED = "undecided"
    """The host failed; the version must be looked at again."""


@dataclass(frozen=True, slots=True)
class AdmissionVerdict:
    """How an admission ended."""

    outcome: AdmissionOutcome
    findings: tuple[Finding, ...]
    """In the order in which they were reported."""
    summary: str
    """The verdict in one sentence for the author."""
