"""What came of checking a tournament by its signed log. No I/O."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ProofPart(enum.StrEnum):
    """What is checked, in this order; each builds on those before it."""

    FILE = "file"
    """Every line is as it was exported."""
    LOG = "log"
    """Every entry of the log is signed, and follows the one before it."""
    COMMITMENT = "commitment"
    """What was fixed before the first match is what was played: rules, settings, entrants."""
    SECRET = "secret"
    """The secret is the one that was committed."""
    COMPLETE = "complete"
    """Every match of the schedule has one result, or is said to be void, and there are no others."""
    SCHEDULE = "schedule"
    """Who met is what was signed before it was played."""
    RESULTS = "results"
    """The results are those that were signed."""
    FACTS = "facts"
    """All rows of the file fit each other."""
    PLAN = "plan"
    """Every wave follows from the settings, the secret and the results before it."""
    CHANCES = "chances"
    """Openings, and the seeds of dice and piles, follow from the secret."""
    REPLAYS = "replays"
    """Every replay follows the rules, and is the one that was signed."""
    TABLE = "table"
    """The table that was signed follows from the results."""


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """What checking one part found."""

    part: ProofPart
    problems: tuple[str, ...] = ()
    """One sentence each; none if it holds."""
    count: int = 0
    """How many of what the part is about were looked at: lines, entries, matches, blocks, rows of the table."""
    is_made: bool = True
    """False if something before it failed, on which it builds."""

    @property
    def holds(self) -> bool:
        """Return whether it was made and found nothing wrong."""
        return self.is_made and not self.problems


@dataclass(frozen=True, slots=True)
class Replayed:
    """The replays of a tournament, as far as they could be played again."""

    played: int = 0
    without: int = 0
    """How many matches have a result and no replay any more: of these only what was signed is known."""
    withheld: int = 0
    """How many replays lack the evidence of faults, so that their times and notes are not those of a signed digest."""


@dataclass(frozen=True, slots=True)
class ProofReport:
    """What came of all checks of one exported tournament."""

    name: str
    """That of the tournament; empty if the file does not even tell that."""
    commitment: str
    """The SHA-256 of the first entry of its log, in hexadecimal digits, as it was published; empty without a log."""
    public_key: str
    """The key of the arena that committed itself, in hexadecimal digits."""
    committed_at_us: int
    checks: tuple[ProofCheck, ...]
    replayed: Replayed

    @property
    def holds(self) -> bool:
        """Return whether every part holds."""
        return all(check.holds for check in self.checks)
