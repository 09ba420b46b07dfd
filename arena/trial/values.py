"""What is looked at in a bot that plays trial matches, and what comes of it: plain values."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.match.spec import MatchSpec
from arena.model.bots import Finding, FindingState
from engine.text import Text, parts_of


class TrialCheck(enum.StrEnum):
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


OUTPUT, RULES, BUILD = "output", "rules", "build"
"""What is looked at besides where a bot is tested at home."""


@dataclass(frozen=True, slots=True)
class TrialSetup:
    """A game and a number of seats that a bot claims to play."""

    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> str:
        """Return it in words: `foreign_king with 3 seats`."""
        return Text("trial.with_seats", "{game} with {seats} seats", game=self.game, seats=self.seats)


@dataclass(frozen=True, slots=True)
class TrialMatch:
    """One trial match, which belongs to no tournament."""

    setup: TrialSetup
    spec: MatchSpec
    own: tuple[int, ...]
    """The seats of the bot that is looked at."""

    def with_fresh_bots(self) -> TrialMatch:
        """Return the same match for new processes."""
        spec = replace(self.spec, match_id=f"{self.spec.match_id}-fresh", uses_fresh_bots=True)
        return replace(self, spec=spec)


def failed(check: str, sentence: str, evidence: Mapping[str, Any] | None = None) -> Finding:
    """Return the finding of a check for which the bot is refused."""
    return Finding(check, FindingState.FAILED, sentence, dict(evidence or {}))


def passed(check: str, sentence: str) -> Finding:
    """Return the finding of a check in which nothing is wrong."""
    return Finding(check, FindingState.PASSED, sentence)


def noted(check: str, sentence: str, evidence: Mapping[str, Any] | None = None) -> Finding:
    """Return the finding of a check for which nobody is refused, but which the author should know."""
    return Finding(check, FindingState.NOTED, sentence, dict(evidence or {}))


def skipped(check: str, sentence: str) -> Finding:
    """Return the finding of a check that was not made; the sentence says why."""
    return Finding(check, FindingState.SKIPPED, sentence)


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON data, as the book of record keeps it."""
    told = {"sentence_text": parts} if (parts := parts_of(finding.sentence)) else {}
    return {**asdict(finding), **told, "check": str(finding.check), "state": finding.state.value}
