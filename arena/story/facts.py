"""What a story is told from, the same for a match under way and for a replay: values, no I/O.

Where a position is drawn from hidden chance, such as the order of a pile, the outcomes here hold it, and a story needs
it: replays and the events of a live match have every outcome (`arena.match.live`), and both are shown only to those who
may see them. A story passes on what is public alone: what chance revealed (`State.revealed`), and pictures, words and
values that no game makes from what is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

Outcomes = Sequence[Sequence[int]]


class StoryError(ValueError):
    """The match cannot be followed: its game is not installed here with its rules, or a ply does not fit."""

    kind: ClassVar[str] = "failed"


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is known when a match begins."""

    match_id: str
    game: str
    rules_version: str
    options: Mapping[str, Any]
    clock: Mapping[str, Any]
    names: tuple[str, ...]
    """Who plays, seat by seat."""
    started_at_us: int
    chance: Outcomes = ()
    """The outcomes before the first ply; of a replay all that there are."""


@dataclass(frozen=True, slots=True)
class PlayedPly:
    """One applied action."""

    ply: int
    seat: int
    action: int
    by: str
    """Who chose it, as `arena.match.decisions.DecidedBy` writes it."""
    elapsed_us: int | None = None
    """Of the first action of an answer."""
    charged_us: int | None = None
    note: str = ""
    chance: Outcomes = ()
    """The outcomes that it caused; none in a replay, which gave all at its beginning."""


@dataclass(frozen=True, slots=True)
class SeatFault:
    """A fault of a seat."""

    seat: int
    cause: str
    ply: int
    explanation: str


@dataclass(frozen=True, slots=True)
class MatchEnding:
    """How a match ended."""

    ranks: tuple[int, ...] = ()
    """Empty if there is no result."""
    by_rules: bool = False
    forfeits: tuple[int, ...] = ()
    resigned: tuple[int, ...] = ()
    faults: tuple[SeatFault, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    lost: str = ""
    """Why there is no result, one sentence."""
