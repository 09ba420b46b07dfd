"""Matches in lists; `match_details.py` has all that is known of one.

Of a hidden match everything that its play decided is withheld: ranks, lengths, digests, details, faults, times.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import Text
from ratings.values.states import MatchState

LOG_STAYS_AT_HOME = Text(
    "model.remote_what_writes_stays_author",
    "is remote: what it writes stays on its author's machine, where `arena bot connect` shows it",
)
"""What is said of a remote bot when its log is asked for."""
ANY_FAULT = "any"
"""What stands in place of a cause for the faults of whatever cause."""


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """Who sits in a seat, and which rank came of it."""

    bot: str
    rank: int | None = None
    fault: str | None = None
    """The cause, if the bot was at fault."""


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in a list; `seats` are in the order of the seats."""

    id: str
    tournament: str
    position: int
    """Its place in the schedule, from 1."""
    block: int
    rotation: int
    seats: tuple[SeatSummary, ...]
    attempt: int
    sandbox: str | None
    state: MatchState
    void_reason: str | None = None
    plies: int | None = None
    decisions: int | None = None
    game_digest: str | None = None
    annulled: str | None = None
    """Why it does not count, if the organiser annulled it."""
    hidden: bool = False
    why_hidden: str = ""
    ended_at_us: int | None = None
    """When it came to its end; microseconds since 1970."""
