"""Leaderboards: the ratings of a pool."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.values.pools import Pool


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
