"""What an admission is asked and what it answers: plain values."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.client.values.admissions import Finding, FindingState
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl, parse_time_control

CLOCK = parse_time_control("250ms")
TIGHT_CLOCK = parse_time_control("50ms")


class Check(enum.StrEnum):
    """What is looked at, in the order in which it is reported."""

    START = "start"
    """It starts, and joins in time."""
    PROTOCOL = "protocol"
    """It says what is asked, when it is asked, in messages that can be read."""
    PLAY = "play"
    """It plays every game and every number of seats that it claims, with legal actions and to the end."""
    RESOURCES = "resources"
    """It stays within its memory and the other limits of a process."""
    CLOCK = "clock"
    """It uses no more time than it has."""
    SECOND_MATCH = "second match"
    """A process plays its second match as it would have played it as its first."""
    DETERMINISM = "determinism"
    """It gives equal answers to equal questions, if it says so."""
    ENDING = "ending"
    """Its process ends when its stream does."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A game and a number of seats that a bot claims to play."""

    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> str:
        """Return it in words: `foreign_king with 3 seats`."""
        return f"{self.game} with {self.seats} seats"


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A version to look at, and how."""

    admission_id: str
    bot: SeatSpec
    grounds: tuple[Ground, ...]
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


class Outcome(enum.StrEnum):
    """What becomes of an admission."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    UNDECIDED = "undecided"
    """The host failed; the version must be looked at again."""


@dataclass(frozen=True, slots=True)
class AdmissionVerdict:
    """How an admission ended."""

    outcome: Outcome
    findings: tuple[Finding, ...]
    """In the order in which they were reported."""
    summary: str
    """The verdict in one sentence for the author."""


def failed(check: Check, sentence: str, evidence: Mapping[str, Any] | None = None) -> Finding:
    """Return the finding of a check for which the bot is refused."""
    return Finding(check, FindingState.FAILED, sentence, dict(evidence or {}))


def passed(check: Check, sentence: str) -> Finding:
    """Return the finding of a check in which nothing is wrong."""
    return Finding(check, FindingState.PASSED, sentence)


def noted(check: Check, sentence: str, evidence: Mapping[str, Any] | None = None) -> Finding:
    """Return the finding of a check for which nobody is refused, but which the author should know."""
    return Finding(check, FindingState.NOTED, sentence, dict(evidence or {}))


def skipped(check: Check, sentence: str) -> Finding:
    """Return the finding of a check that was not made; the sentence says why."""
    return Finding(check, FindingState.SKIPPED, sentence)


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON data, as the book of record keeps it."""
    return {**asdict(finding), "check": str(finding.check), "state": finding.state.value}
