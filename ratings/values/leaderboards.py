"""Leaderboards, and what is shown of single versions: where each stands, how its rating went, what it did wrong."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.values.pools import Pool
from ratings.values.states import AdmissionState


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One line of a leaderboard."""

    rank: int
    """1 is best; equal ratings share a rank."""
    version_id: str
    bot: str
    number: int
    content_hash: str
    owner: str | None
    mu: float
    sigma: float
    exposure: float
    """The figure that is shown and sorted by: mu - 3 sigma."""
    matches: int
    wins: int
    """In how many matches it was first alone."""
    score: float
    """The part of the opponents met that was beaten, 0 to 1; a tie counts half."""
    disabled: bool
    shared: int = 0
    """In how many it was first together with some of the others."""
    draws: int = 0
    """In how many all were level."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A pool and its table, best first."""

    pool: Pool
    matches: int
    table: tuple[LeaderboardRow, ...]
    behind: int = 0
    """How many matches are still to be rated anew because results were annulled; 0: the table counts everything."""
    next: str | None = None
    """The cursor after which this table goes on, or `None` if it is whole."""


@dataclass(frozen=True, slots=True)
class LeaderboardList:
    """The leaderboards that were asked for, the busiest pool first."""

    boards: tuple[Leaderboard, ...]
    is_empty: bool = False
    """Whether nothing was rated at all."""
    next: str | None = None
    """The cursor after which further pools follow, or `None`."""


@dataclass(frozen=True, slots=True)
class RecentVersion:
    """A version that was added lately, and whether it was let in."""

    bot: str
    number: int
    created_at_us: int
    remote: bool
    """Whether its author runs it elsewhere; such a bot needs no admission."""
    is_gone: bool
    """Whether it was withdrawn, or its bot barred."""
    plays: bool
    """Whether it is the version that plays on ladders, or a bot of the organiser, which needs no admission."""
    admission: AdmissionState | None
    """How far its last admission is; `None` if none was asked for."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of a version in a pool."""

    pool: Pool
    version_id: str
    number: int
    """That of the version."""
    content_hash: str
    rank: int
    of: int
    """How many versions are rated in the pool."""
    mu: float
    sigma: float
    exposure: float
    """The figure that is shown and sorted by: mu - 3 sigma."""
    matches: int
    wins: int
    """In how many matches it was first alone."""
    score: float
    """The part of the opponents met that was beaten, 0 to 1; a tie counts half."""
    shared: int = 0
    """In how many it was first together with some of the others."""
    draws: int = 0
    """In how many all were level."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The rating of a version after so many of its matches."""

    matches: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often a version did something wrong for the same cause, and a match that shows it."""

    cause: str
    count: int
    match_id: str
    """The last rated match in which it did."""
    explanation: str
    """What was said of it there."""
