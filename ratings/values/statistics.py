"""What can be counted over the matches of a tournament or a pool; only whole blocks count."""

from __future__ import annotations

from dataclasses import dataclass

MOST_IN_CROSSTABLE = 100
"""So many versions a crosstable has at most: it has a line for each pair of them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A version that is counted, and what people call it."""

    version_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """How one version fared against another, over all matches in which both sat."""

    bot: str
    opponent: str
    version_id: str
    opponent_id: str
    matches: int
    points: int
    """As in `ratings.statistics.points`: 2 for every match in which it was ahead, 1 for every tie."""
    score: float
    """The part of the points that it got, 0 to 1."""
    wins: int
    """In how many of the matches it was ahead."""
    ties: int
    """In how many both had the same rank."""
    losses: int


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Who met whom among some versions, the best first."""

    versions: tuple[Counted, ...]
    meetings: tuple[Meeting, ...]
    """Every ordered pair that met."""


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What one match did to the rating of one version."""

    match_id: str
    seat: int
    pool_id: str
    version_id: str
    rating_seq: int
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    exposure: float
    """After the match."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a version, or everybody, fared in one seat."""

    seat: int
    matches: int
    wins: int
    """In how many matches it was first alone."""
    score: float
    """The part of the opponents met that were beaten, 0 to 1; a tie counts half."""
    forfeits: int
    shared: int
    """In how many it was first together with some of the others."""
    draws: int
    """In how many all were level."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of one measure over all matches."""

    measure: str
    """`plies`, `decisions` or `duration_us` (microseconds of wall time)."""
    matches: int
    least: int
    median: int
    mean: float
    most: int
    p95: int
    """The value that 95 % of the matches do not exceed; it occurred, as the median did."""
