"""What pages show of many versions at once: how they did lately, rating curves, faults counted, tables in any order."""

from __future__ import annotations

from dataclasses import dataclass

from arena.client.values.pools import Pool
from arena.client.values.statistics import SeatResult
from ratings.store.states import AdmissionState


@dataclass(frozen=True, slots=True)
class Form:
    """How a version did lately in a pool, by the matches that are rated."""

    version_id: str
    ratings: tuple[float, ...]
    """Its last ratings (mu - 3 sigma), the oldest first."""
    change: float
    """What its last match changed of its rating."""
    faults: int
    """In how many of its rated matches it did something wrong."""


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
class NewVersion:
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
class WalkPoint:
    """Where the log ratio of a comparison stood after so many steps."""

    pairs: int
    log_ratio: float


@dataclass(frozen=True, slots=True)
class Opponent:
    """How a version fared against another."""

    bot: str
    number: int
    """That of the opponent's version."""
    matches: int
    score: float
    """The part of the points that it got, 0 to 1; a tie counts half."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a version has behind it in a pool, by the matches that are rated."""

    curve: tuple[CurvePoint, ...]
    opponents: tuple[Opponent, ...]
    """Those that it met most."""
    seats: tuple[SeatResult, ...]
    faults: tuple[FaultCount, ...]
